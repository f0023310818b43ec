package apply

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// isApplier reports whether an entry belongs to a client-side apply: it owns the annotation last-applied.
func isApplier(e managed.Entry) bool {
	return e.Fields.At(managed.Path{managed.Field("metadata"), managed.Field("annotations"), managed.Field(lastapplied.Annotation)}).Member()
}

// owners finds the owners of fields of a live object, except client-side appliers.
type owners struct {
	entries  managed.Entries
	elements ownedElements
}

// of returns the managers that own the field at a path itself, as kubectl names them.
func (o *owners) of(path *merge.Path) []string {
	var out []string
	steps := path.Steps()
	for _, e := range o.entries {
		if slices.ContainsFunc(o.setsAt(e.Fields, steps), (*managed.Set).Member) {
			out = append(out, e.Owner.String())
		}
	}
	return out
}

// around returns the managers that own the field at a path, or as a whole a field around it.
func (o *owners) around(path *merge.Path) []string {
	out := o.of(path)
	for at := path.Parent(); at != nil && out == nil; at = at.Parent() {
		for _, e := range o.entries {
			isWhole := func(s *managed.Set) bool { return s.Member() && !s.HasBelow() }
			if slices.ContainsFunc(o.setsAt(e.Fields, at.Steps()), isWhole) {
				out = append(out, e.Owner.String())
			}
		}
	}
	return out
}

// keysOf returns the key of an element of a list by its type, else as managers own it; nil if nobody owns it.
func (o *owners) keysOf(typ *schema.Type, list *merge.Path, element *yaml.Node, index int) (keys []merge.KeyValue) {
	names := []string(nil)
	if typ != nil && typ.Relation == schema.ListMap {
		for _, k := range typ.Keys {
			names = append(names, k.Name)
		}
	}
	for _, e := range o.entries {
		for _, s := range o.setsAt(e.Fields, list.Steps()) {
			step, owned := o.elements.stepTo(s, element, index)
			switch {
			case !owned:
			case step.IsValue():
				return []merge.KeyValue{{Value: element}}
			case names == nil:
				names = step.KeyNames()
			}
		}
	}
	for _, name := range names {
		keys = append(keys, merge.KeyValue{Name: name, Value: yamlnode.Field(element, name)})
	}
	return keys
}

// setsAt returns the sets at a path: several, if its keys have only a part of the server's keys.
func (o *owners) setsAt(s *managed.Set, steps []merge.Step) []*managed.Set {
	if len(steps) == 0 {
		return []*managed.Set{s}
	}
	step, rest := steps[0], steps[1:]
	if step.Keys == nil {
		return o.setsAt(s.Below(managed.Field(step.Field)), rest)
	}
	var parts []managed.KeyPart
	for _, k := range step.Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: k.Value})
	}
	var out []*managed.Set
	for _, below := range o.elements.at(s, parts) {
		out = append(out, o.setsAt(below, rest)...)
	}
	return out
}

// ownedElements finds the parts of sets at the elements of lists, from parts of their keys. It indexes a set at the
// first question (rules/reading: bounds).
type ownedElements struct {
	known map[setPart]map[string][]stepSet
	keys  map[*managed.Set][][]string
}

// setPart is a part of the keys in a set.
type setPart struct {
	set  *managed.Set
	name string
}

// stepSet is a step, and the paths of a set below it.
type stepSet struct {
	step managed.Step
	set  *managed.Set
}

// at returns the parts of a set at the steps that agree with the known parts of a key, at least one.
func (x *ownedElements) at(s *managed.Set, parts []managed.KeyPart) (out []*managed.Set) {
	known := slices.IndexFunc(parts, func(p managed.KeyPart) bool { return p.Value != nil })
	if known < 0 {
		for step, below := range s.Children() {
			if step.Agrees(parts...) {
				out = append(out, below)
			}
		}
		return out
	}
	for _, c := range x.byPart(s, parts[known].Name)[managed.CanonicalText(parts[known].Value)] {
		if c.step.Agrees(parts...) {
			out = append(out, c.set)
		}
	}
	return out
}

// byPart returns the steps of a set by their values of a part of their keys.
func (x *ownedElements) byPart(s *managed.Set, name string) map[string][]stepSet {
	if by, known := x.known[setPart{s, name}]; known {
		return by
	}
	by := map[string][]stepSet{}
	for step, below := range s.Children() {
		if text, found := step.PartText(name); found {
			by[text] = append(by[text], stepSet{step, below})
		}
	}
	if x.known == nil {
		x.known = map[setPart]map[string][]stepSet{}
	}
	x.known[setPart{s, name}] = by
	return by
}

// stepTo returns the step of a set that leads to an element of a list: by its key, its value or its index. ok is false
// if there is none.
func (x *ownedElements) stepTo(s *managed.Set, element *yaml.Node, index int) (step managed.Step, ok bool) {
	for _, names := range x.keysOf(s) {
		var parts []managed.KeyPart
		for _, name := range names {
			if v := yamlnode.Field(element, name); v != nil {
				parts = append(parts, managed.KeyPart{Name: name, Value: v})
			}
		}
		if step = managed.Key(parts...); len(parts) == len(names) && s.Below(step) != nil {
			return step, true
		}
	}
	for _, step = range [2]managed.Step{managed.Value(element), managed.Index(index)} {
		if s.Below(step) != nil {
			return step, true
		}
	}
	return managed.Step{}, false
}

// keysOf returns the names of the keys in the steps of a set, each key once.
func (x *ownedElements) keysOf(s *managed.Set) [][]string {
	if keys, known := x.keys[s]; known {
		return keys
	}
	var keys [][]string
	for step := range s.Children() {
		if names := step.KeyNames(); names != nil && !slices.ContainsFunc(keys, func(k []string) bool { return slices.Equal(k, names) }) {
			keys = append(keys, names)
		}
	}
	if x.keys == nil {
		x.keys = map[*managed.Set][][]string{}
	}
	x.keys[s] = keys
	return keys
}

// WithoutRecords returns the text of live objects without the records of applies: managedFields and the annotation
// last-applied. Documents, items of Lists and indented JSON lose the lines of these fields; everything else keeps its
// bytes. It is for people: with the records, a line of the config is in a difference several times.
func WithoutRecords(text []byte) []byte {
	if !bytes.Contains(text, []byte("managedFields")) && !bytes.Contains(text, []byte(lastapplied.Annotation)) {
		return text
	}
	s := recordScanner{opaque: -1, record: -1}
	for line := range bytes.Lines(text) {
		s.line(line)
	}
	s.release(false)
	return s.out.Bytes()
}

// recordScanner removes records line by line. It knows the fields around a line by their indentation.
type recordScanner struct {
	out    bytes.Buffer
	fields []scannedField
	// opaque and record are the indentations of a field with a value in its line, whose other lines cannot have
	// fields, and of a removed record; -1 for none.
	opaque, record int
	// held is the line of annotations until their first annotation is written, and emptied says that one was removed.
	held    []byte
	emptied bool
}

// scannedField is a field, or "-" for the element of a list.
type scannedField struct {
	indent int
	name   string
}

// line reads the next line, and writes it unless it is a part of a record.
func (s *recordScanner) line(line []byte) {
	text := strings.TrimSpace(string(line))
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	closes := strings.HasPrefix(text, "]") || strings.HasPrefix(text, "}")
	switch {
	case s.record >= 0 && (text == "" || indent > s.record || indent == s.record && (closes || strings.HasPrefix(text, "-"))):
		return
	case s.opaque >= 0 && (text == "" || indent > s.opaque):
		s.write(line)
		return
	}
	s.record, s.opaque = -1, -1
	if indent == 0 && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...")) {
		s.fields = nil
	}
	if s.held != nil && indent <= s.last().indent && s.release(false) && closes {
		return
	}
	s.field(line, text, indent)
}

// field reads a line that may begin elements of lists and a field.
func (s *recordScanner) field(line []byte, text string, indent int) {
	text, indent = s.elements(text, indent)
	name, value, found := strings.Cut(text, ":")
	if !found || value != "" && value[0] != ' ' {
		s.write(line)
		return
	}
	s.leave(func(f scannedField) bool { return f.indent >= indent })
	s.fields = append(s.fields, scannedField{indent, strings.Trim(name, `"'`)})
	value = strings.TrimSpace(value)
	switch path := s.path(); {
	case path == "metadata/managedFields", path == "metadata/annotations/"+lastapplied.Annotation:
		s.record, s.emptied = indent, true
		s.fields = s.fields[:len(s.fields)-1]
		return
	case path == "metadata/annotations" && (value == "" || value == "{"):
		s.held, s.emptied = line, false
		return
	}
	if value != "" && value != "{" && value != "[" && value[0] != '#' {
		s.opaque = indent
	}
	s.write(line)
}

// elements reads the dashes of the elements that a line begins, and returns the rest of the line with its indentation.
func (s *recordScanner) elements(text string, indent int) (string, int) {
	for strings.HasPrefix(text, "- ") {
		s.leave(func(f scannedField) bool { return f.indent > indent || f.indent == indent && f.name == "-" })
		s.fields = append(s.fields, scannedField{indent, "-"})
		rest := strings.TrimLeft(text[1:], " ")
		indent += len(text) - len(rest)
		text = rest
	}
	return text, indent
}

// write writes a line, and the held one before it.
func (s *recordScanner) write(line []byte) {
	s.release(true)
	s.out.Write(line)
}

// release writes the held line if it has annotations, or no record was removed from it. dropped reports whether it
// did not.
func (s *recordScanner) release(annotated bool) (dropped bool) {
	if dropped = s.held != nil && !annotated && s.emptied; !dropped {
		s.out.Write(s.held)
	}
	s.held = nil
	return dropped
}

// leave removes the innermost fields that a line ends.
func (s *recordScanner) leave(ended func(scannedField) bool) {
	for len(s.fields) > 0 && ended(s.last()) {
		s.fields = s.fields[:len(s.fields)-1]
	}
}

// last returns the innermost field around a line.
func (s *recordScanner) last() scannedField {
	if len(s.fields) == 0 {
		return scannedField{indent: -1}
	}
	return s.fields[len(s.fields)-1]
}

// path returns the names of the fields around a line within its object, which may be an item of a List.
func (s *recordScanner) path() string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	path := strings.Join(names, "/")
	return strings.TrimPrefix(strings.TrimPrefix(path, "items/-/"), "items/")
}

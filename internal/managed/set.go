// Package managed reads and writes metadata.managedFields, in which a server records the owners of an object's fields
// (rules/server-side-apply: owned fields).
//
// An Entry has the fields that one manager owns, by one operation on one subresource, as a Set of paths. A merge walks
// these sets along with the object, one Step at a time. A Set never changes; the nil Set is the empty one.
package managed

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Set is a set of paths, as a tree. The nil Set is empty. A set that has a path need not have the paths above it.
type Set struct {
	member   bool
	children []child // in the order of their steps, none of them empty
}

type child struct {
	step Step
	set  *Set
}

// Path leads from one value to another below it.
type Path []Step

// Member reports whether the empty path is in the set.
func (s *Set) Member() bool { return s != nil && s.member }

// Empty reports whether the set has no path.
func (s *Set) Empty() bool { return s == nil || !s.member && len(s.children) == 0 }

// HasBelow reports whether the set has a path that is not empty.
func (s *Set) HasBelow() bool { return s != nil && len(s.children) > 0 }

// Below returns the paths that begin with a step, without the step.
func (s *Set) Below(step Step) *Set {
	if s == nil {
		return nil
	}
	at, found := slices.BinarySearchFunc(s.children, step, func(c child, step Step) int { return CompareSteps(c.step, step) })
	if !found {
		return nil
	}
	return s.children[at].set
}

// Children yields the first steps of the paths, and the paths that follow each.
func (s *Set) Children() iter.Seq2[Step, *Set] {
	return func(yield func(Step, *Set) bool) {
		if s == nil {
			return
		}
		for _, c := range s.children {
			if !yield(c.step, c.set) {
				return
			}
		}
	}
}

// At returns the paths that begin with p, without p.
func (s *Set) At(p Path) *Set {
	for _, step := range p {
		s = s.Below(step)
	}
	return s
}

// Union has the paths of both sets.
func Union(a, b *Set) *Set { return combine(a, b, func(a, b bool) bool { return a || b }) }

// Difference has the paths of a that b lacks. Paths below a path of b stay.
func Difference(a, b *Set) *Set { return combine(a, b, func(a, b bool) bool { return a && !b }) }

// Equal reports whether two sets have the same paths.
func Equal(a, b *Set) bool {
	if a.Empty() || b.Empty() {
		return a.Empty() && b.Empty()
	}
	return a.member == b.member && slices.EqualFunc(a.children, b.children, func(x, y child) bool {
		return CompareSteps(x.step, y.step) == 0 && Equal(x.set, y.set)
	})
}

// combine has the paths for which keep is true; its arguments report whether a and b have the path.
func combine(a, b *Set, keep func(a, b bool) bool) *Set {
	out := Builder{Member: keep(a.Member(), b.Member())}
	for step, below := range a.Children() {
		out.Add(step, combine(below, b.Below(step), keep))
	}
	for step, below := range b.Children() {
		if a.Below(step) == nil {
			out.Add(step, combine(nil, below, keep))
		}
	}
	return out.Set()
}

// Of returns the set of some paths.
func Of(paths ...Path) *Set {
	var out *Set
	for _, p := range paths {
		single := &Set{member: true}
		for _, step := range slices.Backward(p) {
			single = &Set{children: []child{{step, single}}}
		}
		out = Union(out, single)
	}
	return out
}

// Builder builds a set from the sets below its steps.
type Builder struct {
	Member   bool
	children []child
}

// Add adds the paths of a set below a step.
func (b *Builder) Add(step Step, s *Set) {
	if !s.Empty() {
		b.children = append(b.children, child{step, s})
	}
}

// Set returns the built set. Of two sets at one step it has the union.
func (b *Builder) Set() *Set {
	slices.SortStableFunc(b.children, func(x, y child) int { return CompareSteps(x.step, y.step) })
	s := &Set{member: b.Member}
	for _, c := range b.children {
		if last := len(s.children) - 1; last >= 0 && CompareSteps(s.children[last].step, c.step) == 0 {
			s.children[last].set = Union(s.children[last].set, c.set)
			continue
		}
		s.children = append(s.children, c)
	}
	if s.Empty() {
		return nil
	}
	return s
}

// Read reads the fieldsV1 of an entry. A path is in the set if nothing is below it, or if it has "."; the object
// itself, which nobody owns, is not.
func Read(fields *yaml.Node) (*Set, error) {
	s, err := read(fields)
	if !s.HasBelow() {
		return nil, err
	}
	return &Set{children: s.children}, err
}

func read(fields *yaml.Node) (*Set, error) {
	fields = yamlnode.Resolve(fields)
	if fields == nil {
		return nil, nil
	}
	if fields.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want a map of steps", fields.Line)
	}
	out := Builder{}
	for key, value := range yamlnode.Pairs(fields) {
		if key.Value == "." {
			out.Member = true
			continue
		}
		step, known, err := parseStep(key.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", key.Line, err)
		}
		if !known {
			continue
		}
		below, err := read(value)
		if err != nil {
			return nil, err
		}
		out.Add(step, below)
	}
	out.Member = out.Member || len(out.children) == 0
	return out.Set(), nil
}

// JSON returns the set as a server stores it: compact, with the steps in their order.
func (s *Set) JSON() string { return stepsJSON(s.Node()) }

func stepsJSON(n *yaml.Node) string {
	var fields []string
	for key, value := range yamlnode.Pairs(n) {
		fields = append(fields, quote(key.Value)+":"+stepsJSON(value))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// Node returns the set as a YAML map, as kubectl prints it.
func (s *Set) Node() *yaml.Node { return s.node(false) }

func (s *Set) node(self bool) *yaml.Node {
	n := yamlnode.EmptyMap()
	if self && s.Member() && s.HasBelow() {
		n.Content = append(n.Content, yamlnode.String("."), (*Set)(nil).node(false))
	}
	for step, below := range s.Children() {
		n.Content = append(n.Content, yamlnode.String(step.String()), below.node(true))
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

// Entries is a list of managedFields.
type Entries []Entry

// ReadEntries reads metadata.managedFields. The last entry of an owner counts.
func ReadEntries(list *yaml.Node) (Entries, error) {
	list = yamlnode.Resolve(list)
	if list == nil {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: managedFields is not a list", list.Line)
	}
	var out Entries
	for i, n := range list.Content {
		e, err := readEntry(yamlnode.Resolve(n))
		if err != nil {
			return nil, fmt.Errorf("managedFields[%d]: %w", i, err)
		}
		if at := out.index(e.Owner); at >= 0 {
			out = slices.Delete(out, at, at+1)
		}
		out = append(out, e)
	}
	return out, nil
}

// EntriesOf reads the managedFields of an object, which may have none.
func EntriesOf(object *yaml.Node) (Entries, error) {
	entries, err := ReadEntries(yamlnode.Lookup(object, "metadata", "managedFields"))
	if err != nil {
		err = fmt.Errorf("metadata.%w", err)
	}
	return entries, err
}

func (es Entries) index(o Owner) int {
	return slices.IndexFunc(es, func(e Entry) bool { return e.Same(o) })
}

// With returns the list with other fields for an owner. An entry without fields goes. A server lists Apply before
// Update, and older entries before newer ones: a new entry, which has no time yet, is the last of its operation.
func (es Entries) With(o Owner, fields *Set) Entries {
	out, at := slices.Clone(es), es.index(o)
	switch {
	case fields.Empty() && at >= 0:
		return slices.Delete(out, at, at+1)
	case fields.Empty():
		return out
	case at >= 0:
		out[at].Owner, out[at].Fields = o, fields
		return out
	}
	newer := slices.IndexFunc(es, func(e Entry) bool { return e.Operation > o.Operation })
	if newer < 0 {
		newer = len(out)
	}
	return slices.Insert(out, newer, Entry{Owner: o, Fields: fields})
}

// Node returns the list as a server writes it, nil if there are no entries.
func (es Entries) Node() *yaml.Node {
	if len(es) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, e := range es {
		n.Content = append(n.Content, e.Node())
	}
	return n
}

// Apply and Update are the operations that make a manager the owner of fields.
const (
	Apply  = "Apply"
	Update = "Update"
)

// Owner is the owner of fields: a manager, by an operation on the object or on one of its subresources.
type Owner struct {
	Manager, Operation, Subresource string
	// APIVersion distinguishes the Update entries of one manager. A manager has one Apply entry for all versions.
	APIVersion string
}

// Same reports whether two owners are one for a server.
func (o Owner) Same(other Owner) bool {
	if o.Operation == Apply && other.Operation == Apply {
		o.APIVersion = other.APIVersion
	}
	return o == other
}

// String returns the owner's name in kubectl's messages.
func (o Owner) String() string {
	out := fmt.Sprintf("%q", o.Manager)
	if o.Subresource != "" {
		out += fmt.Sprintf(" with subresource %q", o.Subresource)
	}
	if o.Operation == Update {
		out += " using " + o.APIVersion
	}
	return out
}

// Entry is one entry of metadata.managedFields.
type Entry struct {
	Owner
	Time   string // as written, "" if there is none
	Fields *Set

	node *yaml.Node // the node that was read
	read *Entry     // its content
}

func readEntry(n *yaml.Node) (Entry, error) {
	e := Entry{Time: textOf(n, "time"), Owner: Owner{
		Manager:     textOf(n, "manager"),
		Operation:   textOf(n, "operation"),
		Subresource: textOf(n, "subresource"),
		APIVersion:  textOf(n, "apiVersion"),
	}}
	switch kind := textOf(n, "fieldsType"); {
	case n.Kind != yaml.MappingNode:
		return e, fmt.Errorf("line %d: want a map", n.Line)
	case e.Operation != Apply && e.Operation != Update:
		return e, fmt.Errorf("line %d: operation %q is unknown, want Apply or Update", n.Line, e.Operation)
	case e.APIVersion == "":
		return e, fmt.Errorf("line %d: apiVersion is missing", n.Line)
	case kind != "FieldsV1":
		return e, fmt.Errorf("line %d: fieldsType %q is unknown, want FieldsV1", n.Line, kind)
	}
	var err error
	e.Fields, err = Read(yamlnode.Field(n, "fieldsV1"))
	read := e
	e.node, e.read = n, &read
	return e, err
}

func textOf(n *yaml.Node, name string) string { return yamlnode.Text(yamlnode.Field(n, name)) }

// Node returns the node that was read if the entry did not change, else the entry as a server writes it.
func (e Entry) Node() *yaml.Node {
	if e.read != nil && e.Owner == e.read.Owner && e.Time == e.read.Time && Equal(e.Fields, e.read.Fields) {
		return e.node
	}
	n := yamlnode.EmptyMap()
	put := func(name string, value *yaml.Node) { n.Content = append(n.Content, yamlnode.String(name), value) }
	put("apiVersion", yamlnode.String(e.APIVersion))
	put("fieldsType", yamlnode.String("FieldsV1"))
	put("fieldsV1", e.Fields.Node())
	put("manager", yamlnode.String(e.Manager))
	put("operation", yamlnode.String(e.Operation))
	if e.Subresource != "" {
		put("subresource", yamlnode.String(e.Subresource))
	}
	if e.Time != "" {
		time := yamlnode.String(e.Time)
		time.Style = yaml.DoubleQuotedStyle
		put("time", time)
	}
	return n
}

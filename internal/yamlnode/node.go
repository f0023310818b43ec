// Package yamlnode has helpers for YAML nodes that several packages need. None of them alters its argument.
package yamlnode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Entry returns the key and the value of a field of a mapping, with an alias as the value resolved; nil if mapping is
// no mapping or lacks the field.
func Entry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	if i := indexOf(mapping, name); i >= 0 {
		return mapping.Content[i], Resolve(mapping.Content[i+1])
	}
	return nil, nil
}

// Field returns the value of a field of a mapping, aliases resolved; nil if mapping is no mapping or lacks the field.
func Field(mapping *yaml.Node, name string) *yaml.Node {
	_, value := Entry(mapping, name)
	return value
}

// Fields is Field for many fields of one mapping (rules/reading: bounds).
func Fields(mapping *yaml.Node) func(name string) *yaml.Node {
	index := Indices(mapping)
	return func(name string) *yaml.Node {
		if i := index(name); i >= 0 {
			return Resolve(mapping.Content[i+1])
		}
		return nil
	}
}

// Indices returns a function that returns the index of a field's key in the content of a mapping, -1 if it lacks the
// field. A large mapping is passed over once, not for each name.
func Indices(mapping *yaml.Node) func(name string) int {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return func(string) int { return -1 }
	}
	if few := 32; len(mapping.Content) <= few {
		return func(name string) int { return indexOf(mapping, name) }
	}
	index := make(map[string]int, len(mapping.Content)/2)
	for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
		index[nameOf(mapping.Content[i])] = i
	}
	return func(name string) int {
		if i, found := index[name]; found {
			return i
		}
		return -1
	}
}

// indexOf returns the index of the first key of a name in a mapping's content, -1 if there is none.
func indexOf(mapping *yaml.Node, name string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if nameOf(mapping.Content[i]) == name {
			return i
		}
	}
	return -1
}

// Lookup follows field names down through mappings, as Field does.
func Lookup(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		n = Field(n, name)
	}
	return n
}

// nameOf returns the text of a key, aliases resolved.
func nameOf(key *yaml.Node) string { return Resolve(key).Value }

// Resolve returns the node of an alias, and any other node itself.
func Resolve(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// Pairs returns the keys and values of a mapping as they are written, in their order; none of any other node.
func Pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], mapping.Content[i+1]) {
				return
			}
		}
	}
}

// Names lists the keys of a mapping.
func Names(mapping *yaml.Node) []string {
	var out []string
	for key := range Pairs(mapping) {
		out = append(out, nameOf(key))
	}
	return out
}

// WithField returns mapping with another value for a field that it has.
func WithField(mapping *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	out := *mapping
	out.Content = slices.Clone(mapping.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if nameOf(out.Content[i]) == name {
			out.Content[i+1] = v
		}
	}
	return &out
}

// Without returns mapping without the fields whose names drop accepts.
func Without(mapping *yaml.Node, drop func(string) bool) *yaml.Node {
	out := *mapping
	out.Content = nil
	for key, value := range Pairs(mapping) {
		if !drop(nameOf(key)) {
			out.Content = append(out.Content, key, value)
		}
	}
	return &out
}

// WithoutAnnotations removes annotations of a resource, on a copy; a resource without any of them is returned itself.
// A map of annotations that becomes empty is removed.
func WithoutAnnotations(resource *yaml.Node, drop func(name string) bool) *yaml.Node {
	a := Annotations(resource)
	if a == nil {
		return resource
	}
	rest := Without(a, drop)
	metadata := Field(resource, "metadata")
	switch {
	case len(rest.Content) == len(a.Content):
		return resource
	case len(rest.Content) == 0:
		metadata = Without(metadata, func(name string) bool { return name == "annotations" })
	default:
		metadata = WithField(metadata, "annotations", rest)
	}
	return WithField(resource, "metadata", metadata)
}

// String returns a node with a string.
func String(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// EmptyMap returns a mapping without fields.
func EmptyMap() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// MapOf returns n, or an empty mapping if n is not a mapping.
func MapOf(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return EmptyMap()
	}
	return n
}

// Put sets a field of mapping. A new field comes after its nearest preceding sibling in from, or last if from, which
// may be nil, lacks it too.
func Put(mapping, from *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	if Field(mapping, name) != nil {
		return WithField(mapping, name, v)
	}
	for i := 0; from != nil && i+1 < len(from.Content); i += 2 {
		if nameOf(from.Content[i]) == name {
			return WithField(InsertAfterSibling(mapping, from, i), name, v)
		}
	}
	out := *mapping
	out.Content = append(slices.Clone(mapping.Content), String(name), v)
	return &out
}

// InsertAfterSibling inserts the i-th entry of from into mapping, after its nearest preceding sibling in from that
// mapping has, else first; an entry with the same name is replaced.
func InsertAfterSibling(mapping, from *yaml.Node, i int) *yaml.Node {
	name, index := nameOf(from.Content[i]), Indices(mapping)
	if index(name) >= 0 {
		return WithField(mapping, name, from.Content[i+1])
	}
	at := 0
	for before := i - 2; before >= 0; before -= 2 {
		if sibling := index(nameOf(from.Content[before])); sibling >= 0 {
			at = sibling + 2
			break
		}
	}
	out := *mapping
	out.Content = slices.Insert(slices.Clone(mapping.Content), at, from.Content[i], from.Content[i+1])
	return &out
}

// PutAll sets fields of mapping. fields alternates keys and values; a new field comes last.
func PutAll(mapping *yaml.Node, fields []*yaml.Node) *yaml.Node {
	out := *mapping
	out.Content = slices.Clone(mapping.Content)
	at := make(map[string]int, len(out.Content)/2)
	for i := 0; i+1 < len(out.Content); i += 2 {
		at[nameOf(out.Content[i])] = i
	}
	for i := 0; i+1 < len(fields); i += 2 {
		name := fields[i].Value
		if has, found := at[name]; found {
			out.Content[has+1] = fields[i+1]
			continue
		}
		at[name] = len(out.Content)
		out.Content = append(out.Content, fields[i], fields[i+1])
	}
	return &out
}

// Text returns the text of a scalar, "" for nil.
func Text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// TextAt returns the text of the scalar at a path of fields, "" if there is none.
func TextAt(n *yaml.Node, path ...string) string { return Text(Lookup(n, path...)) }

// Elements returns the elements of a list, nil if n is no list.
func Elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// CopyField makes a field of to, a mapping or nil, equal to the field of from, which may lack it.
func CopyField(to, from *yaml.Node, names []string) *yaml.Node {
	if to == nil || to.Kind != yaml.MappingNode {
		return to
	}
	name := names[0]
	v := Field(from, name)
	if len(names) > 1 {
		inner := Field(to, name)
		if inner == nil {
			return to
		}
		return WithField(to, name, CopyField(inner, v, names[1:]))
	}
	if v == nil {
		return Without(to, func(field string) bool { return field == name })
	}
	return Put(to, from, name, v)
}

// Set returns n with the value v at a path of fields, and makes missing maps on the path. If v is nil, the field is
// removed, with the maps above it that become empty, unless was has them. was may be nil.
func Set(n, was, v *yaml.Node, path ...string) *yaml.Node {
	if n == nil {
		n = EmptyMap()
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	name := path[0]
	if len(path) > 1 {
		inner := Field(n, name)
		if inner == nil && v == nil {
			return n
		}
		before := Field(was, name)
		if v = Set(inner, before, v, path[1:]...); len(v.Content) == 0 && before == nil {
			v = nil
		}
	}
	if v == nil {
		return Without(n, func(field string) bool { return field == name })
	}
	return Put(n, was, name, v)
}

// Each applies a change to the elements of a list. It returns the same list if nothing changes.
func Each(list *yaml.Node, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return list
	}
	out, same := *list, true
	out.Content = slices.Clone(list.Content)
	for i, e := range list.Content {
		out.Content[i] = change(e)
		same = same && out.Content[i] == e
	}
	if same {
		return list
	}
	return &out
}

// WithText returns a scalar with another text.
func WithText(n *yaml.Node, text string) *yaml.Node {
	if n.Value == text {
		return n
	}
	out := *n
	out.Value = text
	return &out
}

// IsNull reports whether n is a null.
func IsNull(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// HasNull reports whether there is a null anywhere in n.
func HasNull(n *yaml.Node) bool { return IsNull(n) || slices.ContainsFunc(n.Content, HasNull) }

// IsEmpty reports whether a value is a null, or a map or list without entries.
func IsEmpty(n *yaml.Node) bool {
	return IsNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// IsBlock reports whether n is written as a block collection: an empty one has only a flow form.
func IsBlock(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// BooleanWord returns the boolean that YAML 1.1, and so kubectl, reads from a plain word, which is a text in YAML 1.2
// (rules/fields: equality). ok reports whether it is one.
func BooleanWord(word string) (value, ok bool) {
	if len(word) > 3 {
		return false, false
	}
	switch strings.ToLower(word) {
	case "y", "yes", "on":
		return true, true
	case "n", "no", "off":
		return false, true
	}
	return false, false
}

// IsBooleanWord reports whether a plain word is a boolean in YAML 1.1, and a text in YAML 1.2.
func IsBooleanWord(word string) bool {
	_, ok := BooleanWord(word)
	return ok
}

// IsMarked reports whether n is a block collection with an anchor or a tag.
func IsMarked(n *yaml.Node) bool {
	return IsBlock(n) && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0)
}

// Tag returns the short tag of n. For a plain `<<` this is the merge tag, which yaml.v3 does not derive.
func Tag(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Tag == "" && n.Value == "<<" {
		return "!!merge"
	}
	return n.ShortTag()
}

// JoinComments joins the comments that are not empty.
func JoinComments(between string, comments ...string) string {
	some := make([]string, 0, 4)
	for _, c := range comments {
		if c != "" {
			some = append(some, c)
		}
	}
	return strings.Join(some, between)
}

// Walk calls visit for n and every node below it, keys before their values. Aliases are visited and not followed, so
// cycles do no harm.
func Walk(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, child := range n.Content {
		Walk(child, visit)
	}
}

// Decode decodes the next document of a stream. A panic of the parser is an error.
func Decode(stream *yaml.Decoder, document *yaml.Node) (err error) {
	defer Recover(&err)
	return stream.Decode(document)
}

// Documents returns the documents of a text that are not empty, after an error those before it.
func Documents(text []byte) (all []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		switch err := Decode(decoder, &document); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, err
		}
		if len(document.Content) > 0 && !IsNull(document.Content[0]) {
			all = append(all, document.Content[0])
		}
	}
}

// Recover turns a panic into an error in a deferred call: yaml.v3 panics in states that it takes for impossible.
func Recover(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("yaml: %v", cause)
	}
}

// Clone copies n and every node below it. Aliases point to the same nodes as before.
func Clone(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		out.Content[i] = Clone(child)
	}
	return &out
}

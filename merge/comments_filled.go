package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// People fill an empty field by uncommenting the lines below it, such as `resources: {}` in the values of a chart. The
// comments that are left are in the field then, and the other side's are next to it. So the comments in the field count
// as comments between fields (rules/comments-and-text: comments between fields).

// fills reports whether a side filled the field above the stretch, which is empty in origin. The other side left it empty,
// or filled it with the same.
func (s commentStretch) fills(side identity.Side) bool {
	var values [3]*yaml.Node
	for i, from := range s.from {
		if from == 0 || side == origin || s.versions[i].entries[from-1].value == nil {
			return false
		}
		values[i] = s.versions[i].entries[from-1].value
	}
	own, other := values[side], values[upstream+local-side]
	return yamlnode.IsEmpty(values[origin]) && isFull(own) &&
		(isWrittenAlike(values[origin], other) || isFull(other) && isWrittenAlike(own, other))
}

// isWrittenAlike reports whether two values have the same texts and tags in the same order.
func isWrittenAlike(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() && slices.EqualFunc(a.Content, b.Content, isWrittenAlike)
}

// isFilled reports whether upstream or local filled an empty field.
func (e *element) isFilled() bool {
	return e.inAll() && yamlnode.IsEmpty(e.value[origin]) && (isFull(e.value[upstream]) || isFull(e.value[local]))
}

// isFull reports whether a value is a map or list with entries, in block style.
func isFull(n *yaml.Node) bool { return n != nil && yamlnode.IsBlock(n) }

// eachPlace visits the places of the comments in a map or list in block style, in their order, with the comments there:
// above and below each key and element, and at the end of each map and list.
func eachPlace(n *yaml.Node, visit func(n *yaml.Node, below bool, text string)) {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(n.Content); i += step {
		entry, value := n.Content[i], n.Content[i+step-1]
		visit(entry, false, nodeSlots(entry).head)
		if isFull(value) {
			eachPlace(value, visit)
		}
		if !isFull(entry) {
			visit(entry, true, nodeSlots(entry).foot)
		}
	}
	visit(n, true, nodeSlots(n).foot)
}

// child returns the value of a field in the result. A field that a side filled has the divided comments in it.
func (m emitter) child(e *element, d decision, between division) (*yaml.Node, error) {
	if len(between) == 0 || !e.isFilled() {
		return m.value(e, d)
	}
	for _, side := range [2]identity.Side{upstream, local} {
		v := e.value[side]
		if end, divided := between[commentSlot{v, true}]; divided {
			m.ends[e.value[origin]] = end
			f := filled{between: between, path: e.path}
			return withContent(v, m.divided(f, v, e.value)), nil
		}
	}
	return m.value(e, d)
}

// filled is a field that one side filled, or both alike, with the divided comments in it.
type filled struct {
	between division
	path    *Path
}

// divided returns the content of a map or list in a filled field with the divided comments. versions are the sides' maps or
// lists. n is one of them, and the other one is nil or has the same form.
func (m emitter) divided(f filled, n *yaml.Node, versions [3]*yaml.Node) []*yaml.Node {
	content := slices.Clone(n.Content)
	for i, c := range n.Content {
		var within [3]*yaml.Node
		for _, side := range [2]identity.Side{upstream, local} {
			if v := versions[side]; v != nil && i < len(v.Content) {
				within[side] = v.Content[i]
			}
		}
		merged := nodeSlots(c)
		if above, found := f.between[commentSlot{c, false}]; found {
			merged.head = m.mergeSlot(above[origin], above[upstream], above[local], f.path)
		}
		if below, found := f.between[commentSlot{c, true}]; found {
			merged.foot = m.mergeSlot(below[origin], below[upstream], below[local], f.path)
		}
		if within[upstream] != nil && within[local] != nil {
			merged.line = m.mergeSlot("", within[upstream].LineComment, within[local].LineComment, f.path)
		}
		content[i] = merged.onNode(withContent(c, m.divided(f, c, within)))
		m.note(content[i], within[local], nodeSlots(within[local]), within[upstream])
	}
	return content
}

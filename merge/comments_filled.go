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
			content := slices.Clone(v.Content)
			for i, c := range v.Content {
				content[i] = m.divided(c, between, e)
			}
			return withContent(v, content), nil
		}
	}
	return m.value(e, d)
}

// divided returns a node of a value that a side filled, and everything below it, with the divided comments.
func (m emitter) divided(n *yaml.Node, between division, e *element) *yaml.Node {
	content := slices.Clone(n.Content)
	for i, c := range n.Content {
		content[i] = m.divided(c, between, e)
	}
	own := nodeSlots(n)
	merged := own
	if above, found := between[commentSlot{n, false}]; found {
		merged.head = m.mergeSlot(above[origin], above[upstream], above[local], e.path)
	}
	if below, found := between[commentSlot{n, true}]; found {
		merged.foot = m.mergeSlot(below[origin], below[upstream], below[local], e.path)
	}
	out := merged.onNode(withContent(n, content))
	if isFull(e.value[local]) {
		m.note(out, n, own, nil)
	} else {
		m.note(out, nil, own, n)
	}
	return out
}

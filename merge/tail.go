package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// tail is the comment at the end of a map or list that upstream has, and local had,
// in trees whose comments are where yaml.v3 puts them. On each side the last
// node holds it, but it belongs to the end, whatever
// will be there (design 3.6): where upstream appends an element, the comment is
// not one of the element before.
type tail struct {
	// holders are the last key or element of each side.
	holders [3]*yaml.Node
	// text is the comment in the result, local the one that local has.
	text, local string
}

// tail merges the comment at the end of a map or list.
func (m emitter) tail(versions [3]*yaml.Node, path *Path) tail {
	var t tail
	if versions[upstream] == nil {
		return t
	}
	var s [3]slots
	for _, side := range identity.Sides() {
		key, value := lastOf(versions[side])
		if key == nil && value != nil && !isBlock(value) {
			key = value
		}
		if key != nil {
			t.holders[side], s[side].foot = key, key.FootComment
		}
	}
	t.text, t.local = m.merge(s, path).foot, nodeSlots(t.holders[local]).foot
	return t
}

// lastOf is the last entry of a map or the last element of a list, nil if n is
// neither or empty.
func lastOf(n *yaml.Node) (key, value *yaml.Node) {
	switch {
	case n == nil || len(n.Content) == 0:
		return nil, nil
	case n.Kind == yaml.MappingNode:
		return n.Content[len(n.Content)-2], n.Content[len(n.Content)-1]
	}
	return nil, n.Content[len(n.Content)-1]
}

// around are the comments of a key or element without the tail, if it holds that.
func (t tail) around(s slots, holder *yaml.Node) slots {
	if holder != nil && slices.Contains(t.holders[:], holder) {
		s.foot = ""
	}
	return s
}

// below puts the tail below the last thing of the result.
func (t tail) below(s slots, last bool) slots {
	if last {
		s.foot = joinComments(s.foot, t.text)
	}
	return s
}

// localBelow is below for local's own comments.
func (t tail) localBelow(s slots, last bool) slots {
	if last {
		s.foot = joinComments(s.foot, t.local)
	}
	return s
}

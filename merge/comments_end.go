package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// tail is the comment at the end of a map or list. yaml.v3 attaches it to the last node of each side, but it belongs
// to the end, whatever node is last in the result (rules/comments-and-text: owners of comments): if upstream appends
// an element, the comment moves behind the new one.
type tail struct {
	// holders are the last key or element of each side.
	holders [3]*yaml.Node
	// text is the comment in the result.
	text string
	// between has the divided comments between the entries.
	between division
}

// tail merges the comment at the end of a map or list.
func (m emitter) tail(versions [3]*yaml.Node, path *Path) tail {
	t := tail{}
	if versions[upstream] == nil {
		return t
	}
	var s [3]slots
	for _, side := range identity.Sides() {
		key, value := lastOf(versions[side])
		if key == nil && value != nil && !yamlnode.IsBlock(value) {
			key = value
		}
		if key != nil {
			t.holders[side], s[side].foot = key, key.FootComment
		}
	}
	t.text = m.merge(s, path).foot
	return t
}

// lastOf returns the last entry of a map or the last element of a list, nil if there is none.
func lastOf(n *yaml.Node) (key, value *yaml.Node) {
	switch {
	case n == nil || len(n.Content) == 0:
		return nil, nil
	case n.Kind == yaml.MappingNode:
		return n.Content[len(n.Content)-2], n.Content[len(n.Content)-1]
	}
	return nil, n.Content[len(n.Content)-1]
}

// cut returns the comments of a key or element without the tail, if it has the tail.
func (t tail) cut(s slots, holder *yaml.Node) slots {
	if holder != nil && slices.Contains(t.holders[:], holder) {
		s.foot = ""
	}
	return s
}

// withTail adds the text of a tail to the comments of the last node.
func withTail(s slots, text string, last bool) slots {
	if last {
		s.foot = yamlnode.JoinComments("\n", s.foot, text)
	}
	return s
}

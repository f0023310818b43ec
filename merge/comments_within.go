package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commented gives a list or struct that is taken whole the comments inside it that
// the other side changed: a setter that upstream put on an argument arrives in
// local's arguments, a remark of the user's stays on an argument that upstream
// kept. n is one of the versions. Map entries answer to each other by key, list
// elements by equal value where a list has it once.
func (m emitter) commented(n *yaml.Node, versions [3]*yaml.Node, path *Path) *yaml.Node {
	for _, v := range versions {
		if v != nil && v.Kind != n.Kind {
			return n
		}
	}
	if len(n.Content) == 0 || versions[upstream] == nil || versions[local] == nil {
		return n
	}
	var content []*yaml.Node
	switch n.Kind {
	case yaml.MappingNode:
		content = m.commentedMap(n, versions, path)
	case yaml.SequenceNode:
		content = m.commentedList(n, versions, path)
	}
	if slices.Equal(content, n.Content) {
		return n
	}
	out := *n
	out.Content = content
	return &out
}

func (m emitter) commentedMap(n *yaml.Node, versions [3]*yaml.Node, path *Path) []*yaml.Node {
	var keys, values [3]map[string]*yaml.Node
	for _, side := range identity.Sides() {
		keys[side], values[side] = entries(versions[side])
	}
	t := m.tail(versions, path)
	var content []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		var v, s = [3]*yaml.Node{}, [3]slots{}
		for _, side := range identity.Sides() {
			v[side] = values[side][name]
			s[side] = t.around(fieldSlots(keys[side][name], v[side]), keys[side][name])
		}
		key, value := n.Content[i], m.commented(n.Content[i+1], v, path)
		own := t.around(fieldSlots(key, n.Content[i+1]), key)
		if v[upstream] != nil && v[local] != nil {
			own = m.merge(s, path)
		}
		last := i+2 == len(n.Content)
		key, value = t.below(own, last).onField(key, value, n.Content[i+1])
		m.note(key, keys[local][name], t.localBelow(s[local], last), keys[upstream][name])
		m.note(value, v[local], nodeSlots(v[local]), v[upstream])
		content = append(content, key, value)
	}
	return content
}

func entries(mapping *yaml.Node) (keys, values map[string]*yaml.Node) {
	keys, values = map[string]*yaml.Node{}, map[string]*yaml.Node{}
	if mapping == nil {
		return keys, values
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name := mapping.Content[i].Value
		keys[name], values[name] = mapping.Content[i], mapping.Content[i+1]
	}
	return keys, values
}

func (m emitter) commentedList(n *yaml.Node, versions [3]*yaml.Node, path *Path) []*yaml.Node {
	var index [3]map[string]*yaml.Node
	for _, side := range identity.Sides() {
		index[side] = uniqueElements(versions[side])
	}
	t := m.tail(versions, path)
	heads := headsIn(versions)
	content := slices.Clone(n.Content)
	for i, c := range n.Content {
		text := canonical(c)
		v, s := [3]*yaml.Node{}, [3]slots{}
		for _, side := range identity.Sides() {
			v[side] = index[side][text]
			s[side] = t.around(nodeSlots(v[side]), v[side])
			if v[side] != c {
				s[side].head = heads.unmoved(side, s[side].head, s[origin].head)
			}
		}
		commented, own := c, t.around(nodeSlots(c), c)
		if v[upstream] != nil && v[local] != nil {
			commented, own = m.commented(c, v, path), m.merge(s, path)
		}
		last := i+1 == len(n.Content)
		content[i] = t.below(own, last).onNode(commented)
		m.note(content[i], v[local], t.localBelow(s[local], last), v[upstream])
	}
	return content
}

// heads count how often each version of a list has a comment above an element.
type heads [3]map[string]int

func headsIn(versions [3]*yaml.Node) (h heads) {
	for side, list := range versions {
		h[side] = map[string]int{}
		if list == nil {
			continue
		}
		for _, e := range list.Content {
			h[side][nodeSlots(e).head]++
		}
	}
	return h
}

// unmoved is a side's comment above an element, as far as the side changed it: it is origin's where
// only an element came between a comment and the one below it, or went from there.
func (h heads) unmoved(side identity.Side, own, origins string) string {
	same := func(text string) bool { return text == "" || h[side][text] == h[origin][text] }
	if same(own) && same(origins) {
		return origins
	}
	return own
}

// uniqueElements finds a list's elements by value, those that it has once.
func uniqueElements(list *yaml.Node) map[string]*yaml.Node {
	index := map[string]*yaml.Node{}
	if list == nil {
		return index
	}
	for _, c := range list.Content {
		text := canonical(c)
		if _, twice := index[text]; twice {
			index[text] = nil
		} else {
			index[text] = c
		}
	}
	return index
}

// tail is the comment at the end of a map or list that upstream has, and local had, in
// trees whose comments are where yaml.v3 puts them. On each side the last node holds
// it, but it belongs to the end, whatever will be there (rules/comments-and-text:
// owners of comments): where upstream appends an element, the comment is not one of the
// element before.
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
		if key == nil && value != nil && !yamlnode.IsBlock(value) {
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
		s.foot = yamlnode.JoinComments("\n", s.foot, t.text)
	}
	return s
}

// localBelow is below for local's own comments.
func (t tail) localBelow(s slots, last bool) slots {
	if last {
		s.foot = yamlnode.JoinComments("\n", s.foot, t.local)
	}
	return s
}

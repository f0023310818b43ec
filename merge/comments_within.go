package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
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

package krmfunction

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"go.yaml.in/yaml/v3"
)

// effectOf says what kpt did to an item: before and after are the item, own is
// local's version of it. Where that is not known, every key counts as local's.
func effectOf(before, after, own *yaml.Node) effect {
	if !sameComments(before, after) {
		return harm
	}
	worst := nothing
	switch before.Kind {
	case yaml.MappingNode:
		worst = effectOnOrder(yamlnode.Names(before), yamlnode.Names(after), own)
		eachEntry(before, after, func(key, keyAfter, value, valueAfter *yaml.Node) bool {
			if !sameComments(key, keyAfter) {
				worst = harm
			}
			worst = max(worst, effectOf(value, valueAfter, yamlnode.Field(own, key.Value)))
			return worst != harm
		})
	case yaml.SequenceNode:
		for i, e := range before.Content {
			worst = max(worst, effectOf(e, after.Content[i], elementLike(own, e)))
		}
	}
	return worst
}

// effectOnOrder compares the order of keys: it is harm if those of local's are
// in another one among themselves.
func effectOnOrder(before, after []string, own *yaml.Node) effect {
	if slices.Equal(before, after) {
		return nothing
	}
	mine := yamlnode.Names(own)
	foreign := func(key string) bool { return own != nil && !slices.Contains(mine, key) }
	if slices.Equal(slices.DeleteFunc(before, foreign), slices.DeleteFunc(after, foreign)) {
		return moves
	}
	return harm
}

func sameComments(a, b *yaml.Node) bool {
	return a.HeadComment == b.HeadComment && a.LineComment == b.LineComment && a.FootComment == b.FootComment
}

// elementLike is the first element of a list that may be an element of another
// version, nil if there is none.
func elementLike(list, element *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	at := slices.IndexFunc(list.Content, func(e *yaml.Node) bool { return sameElement(e, element) })
	if at < 0 {
		return nil
	}
	return list.Content[at]
}

// eachEntry visits the entries that two maps both have, in from's order, until
// visit returns false, and returns what the last visit did.
func eachEntry(from, to *yaml.Node, visit func(fromKey, toKey, fromValue, toValue *yaml.Node) bool) bool {
	index := make(map[string]int, len(to.Content)/2)
	for i := 0; i+1 < len(to.Content); i += 2 {
		index[to.Content[i].Value] = i
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		j, found := index[from.Content[i].Value]
		if found && !visit(from.Content[i], to.Content[j], from.Content[i+1], to.Content[j+1]) {
			return false
		}
	}
	return true
}

func isNullNode(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func deepCopy(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = deepCopy(c)
	}
	return &out
}

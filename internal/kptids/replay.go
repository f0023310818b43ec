package kptids

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// replay makes kpt's changes in a copy of result, as kpt does with an item that comes back with the id of sent, and
// returns their effect. own is local's version.
func replay(sent, result, own *yaml.Node) effect {
	after := yamlnode.Clone(result)
	if !copyComments(sent, after) {
		return harm
	}
	syncOrder(sent, after)
	headsOfElements(after)
	return effectOf(result, after, own)
}

// copyComments is kyaml's comments.CopyComments: it copies the comments of a node to another one that lacks them. It
// pairs map entries by name, list elements by index if both are the same scalar or no scalars, and elements of lists
// that its schema knows by their key. It returns false if kyaml would fail, as it does for nodes of different kinds.
func copyComments(from, to *yaml.Node) bool {
	fill(from, to)
	if yamlnode.IsNull(from) || yamlnode.IsNull(to) || from.Kind == yaml.AliasNode {
		return true
	}
	if from.Kind != to.Kind {
		return false
	}
	switch from.Kind {
	case yaml.MappingNode:
		return eachEntry(from, to, func(fromKey, toKey, fromValue, toValue *yaml.Node) bool {
			fill(fromKey, toKey)
			return copyComments(fromValue, toValue)
		})
	case yaml.SequenceNode:
		return copyList(from, to)
	}
	return true
}

// maxPairs limits the pairs of elements with one key, per element of a list. A list with more pairs counts as a
// failure of kyaml, which costs an item its ids.
const maxPairs = 16

func copyList(from, to *yaml.Node) bool {
	for i := range min(len(from.Content), len(to.Content)) {
		if f, t := from.Content[i], to.Content[i]; f.Value == t.Value && !copyComments(f, t) {
			return false
		}
	}
	theirs, pairs := newAlikeIndex(to.Content), 0
	for _, f := range from.Content {
		for _, t := range theirs.all(f) {
			if pairs++; pairs > maxPairs*(len(from.Content)+len(to.Content)) || !copyComments(f, t) {
				return false
			}
		}
	}
	return true
}

// fill copies the comments that to lacks.
func fill(from, to *yaml.Node) {
	for _, c := range [3]struct{ to, from *string }{
		{&to.HeadComment, &from.HeadComment}, {&to.LineComment, &from.LineComment}, {&to.FootComment, &from.FootComment},
	} {
		*c.to = cmp.Or(*c.to, *c.from)
	}
}

// syncOrder is kyaml's order.SyncOrder: keys get from's order, and keys that from lacks come last; list elements are
// paired by index.
func syncOrder(from, to *yaml.Node) {
	switch {
	case from.Kind != to.Kind || len(from.Content) == 0 || len(to.Content) == 0:
	case from.Kind == yaml.MappingNode:
		var first, rest []*yaml.Node
		eachEntry(from, to, func(_, key, fromValue, toValue *yaml.Node) bool {
			first = append(first, key, toValue)
			syncOrder(fromValue, toValue)
			return true
		})
		theirs := yamlnode.Fields(from)
		for key, value := range yamlnode.Pairs(to) {
			if theirs(key.Value) == nil {
				rest = append(rest, key, value)
			}
		}
		to.Content = append(first, rest...)
	case from.Kind == yaml.SequenceNode:
		for i := range min(len(from.Content), len(to.Content)) {
			syncOrder(from.Content[i], to.Content[i])
		}
	}
}

// headsOfElements is kyaml's last step, only in lists that are in maps: the comment above the first key of an element
// moves above the element.
func headsOfElements(n *yaml.Node) {
	for _, c := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode:
			headsOfElements(c)
		case n.Kind != yaml.SequenceNode || len(c.Content) == 0 || c.Content[0].Kind != yaml.ScalarNode:
		case c.HeadComment == "":
			c.HeadComment = c.Content[0].HeadComment
		case c.Content[0].HeadComment != "":
			c.HeadComment += "\n" + c.Content[0].HeadComment
			c.Content[0].HeadComment = ""
		}
	}
}

// alikeIndex finds the elements of a list that agree with an element of another list in the first field that may be
// its key: it has the elements by the name and the value of that field. kyaml finds the keys of lists in a schema that
// is slow to load; dropping an id too often does little harm.
type alikeIndex map[[2]string][]*yaml.Node

func newAlikeIndex(elements []*yaml.Node) alikeIndex {
	x := make(alikeIndex, len(elements))
	for _, e := range elements {
		if key, ok := keyOfElement(e); ok {
			x[key] = append(x[key], e)
		}
	}
	return x
}

// keyOfElement returns the name and the value of the field of an element that may be its key. ok is false if it has
// none, or one that is no scalar.
func keyOfElement(e *yaml.Node) (key [2]string, ok bool) {
	e = yamlnode.Resolve(e)
	for _, name := range keyNames() {
		if v := yamlnode.Field(e, name); v != nil {
			return [2]string{name, v.Value}, v.Kind == yaml.ScalarNode
		}
	}
	return key, false
}

// keyNames returns the fields that may be the key of a list, in the order of kyaml's search.
func keyNames() [10]string {
	return [10]string{"name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "type", "key"}
}

// all returns the elements that agree with an element.
func (x alikeIndex) all(e *yaml.Node) []*yaml.Node {
	if key, ok := keyOfElement(e); ok {
		return x[key]
	}
	return nil
}

// first returns the first element that agrees with an element, nil if there is none.
func (x alikeIndex) first(e *yaml.Node) *yaml.Node {
	if all := x.all(e); len(all) > 0 {
		return all[0]
	}
	return nil
}

// eachEntry visits the entries that both maps have, in from's order, until visit returns false, and returns the
// result of the last visit.
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

// effectOf returns kpt's effect on an item. before and after are the item, own is local's version of it. If own is
// not known, every key counts as local's.
func effectOf(before, after, own *yaml.Node) effect {
	if !sameComments(before, after) {
		return harm
	}
	worst := nothing
	switch before.Kind {
	case yaml.MappingNode:
		worst = effectOnOrder(yamlnode.Names(before), yamlnode.Names(after), own)
		ownField := yamlnode.Fields(own)
		eachEntry(before, after, func(key, keyAfter, value, valueAfter *yaml.Node) bool {
			if !sameComments(key, keyAfter) {
				worst = harm
			}
			worst = max(worst, effectOf(value, valueAfter, ownField(key.Value)))
			return worst != harm
		})
	case yaml.SequenceNode:
		mine := newAlikeIndex(yamlnode.Elements(own))
		for i, e := range before.Content {
			worst = max(worst, effectOf(e, after.Content[i], mine.first(e)))
		}
	}
	return worst
}

// effectOnOrder compares the order of keys: a new order among local's keys is harm.
func effectOnOrder(before, after []string, own *yaml.Node) effect {
	if slices.Equal(before, after) {
		return nothing
	}
	mine := yamlnode.Fields(own)
	foreign := func(key string) bool { return own != nil && mine(key) == nil }
	if slices.Equal(slices.DeleteFunc(before, foreign), slices.DeleteFunc(after, foreign)) {
		return moves
	}
	return harm
}

func sameComments(a, b *yaml.Node) bool {
	return a.HeadComment == b.HeadComment && a.LineComment == b.LineComment && a.FootComment == b.FootComment
}

// effect is kpt's effect on an item that has ids, from nothing to harm.
type effect int

const (
	// nothing: neither a comment nor the place of a key changes.
	nothing effect = iota
	// moves: only keys that local does not have get another place.
	moves
	// harm: a comment changes, a key of local's moves, or kpt fails.
	harm
)

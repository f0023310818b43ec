package krmfunction

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// replay does to a copy of result what kpt does to an item that comes back with
// the id of sent, and says what that was. own is local's version.
func replay(sent, result, own *yaml.Node) effect {
	after := deepCopy(result)
	if !copyComments(sent, after) {
		return harm
	}
	syncOrder(sent, after)
	headsOfElements(after)
	return effectOf(result, after, own)
}

// copyComments is kyaml's comments.CopyComments: it fills comments that to does
// not have from from, map entries by name, list elements by index where both are
// the same scalar or no scalars, and by their key in the lists that its schema
// knows. It reports whether kyaml would not fail, as it does where kinds differ.
func copyComments(from, to *yaml.Node) bool {
	fill(from, to)
	if isNullNode(from) || isNullNode(to) || from.Kind == yaml.AliasNode {
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

// maxPairs is how many pairs of elements with one key are compared for each element of a
// list. What would take more counts as if kyaml failed, which costs an item its ids.
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

// fill fills the comments that to does not have.
func fill(from, to *yaml.Node) {
	for _, c := range [3]struct{ to, from *string }{
		{&to.HeadComment, &from.HeadComment}, {&to.LineComment, &from.LineComment}, {&to.FootComment, &from.FootComment},
	} {
		if *c.to == "" {
			*c.to = *c.from
		}
	}
}

// syncOrder is kyaml's order.SyncOrder: keys get from's order, those that from
// lacks come last; list elements are paired by index.
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
		for i := 0; i+1 < len(to.Content); i += 2 {
			if theirs(to.Content[i].Value) == nil {
				rest = append(rest, to.Content[i], to.Content[i+1])
			}
		}
		to.Content = append(first, rest...)
	case from.Kind == yaml.SequenceNode:
		for i := range min(len(from.Content), len(to.Content)) {
			syncOrder(from.Content[i], to.Content[i])
		}
	}
}

// headsOfElements is what kyaml does last, in lists that are in maps only: the
// comment above the first key of an element goes above the element.
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

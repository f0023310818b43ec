package krmfunction

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// replay does to a copy of result what kpt does to an item that comes back with
// the id of sent, and says what that was. own is local's version.
func replay(sent, result, own *yaml.Node) effect {
	after := yamlnode.Clone(result)
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

// alikeIndex finds which elements of a list agree with an element of another in the first
// field that may be the key of their list, and that either has. Which lists have keys, for
// kyaml, depends on a schema that is slow to load; that an id is dropped too often does
// little harm.
type alikeIndex struct {
	// by are the elements by their first such field and its value.
	by map[[2]string][]*yaml.Node
}

// keysOfElements are the fields that may be the key of a list, in the order in which kyaml
// asks for them.
func keysOfElements() []string {
	return []string{"name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "type", "key"}
}

func newAlikeIndex(elements []*yaml.Node) alikeIndex {
	x := alikeIndex{by: make(map[[2]string][]*yaml.Node, len(elements))}
	for _, e := range elements {
		if key, ok := keyOfElement(e); ok {
			x.by[key] = append(x.by[key], e)
		}
	}
	return x
}

// keyOfElement is the first field of an element that may be its key, with its value; ok is
// false if it has none, or one that is no scalar.
func keyOfElement(e *yaml.Node) (key [2]string, ok bool) {
	for _, name := range keysOfElements() {
		if v := yamlnode.Field(e, name); v != nil {
			return [2]string{name, v.Value}, v.Kind == yaml.ScalarNode
		}
	}
	return key, false
}

// all are the elements that agree with an element.
func (x alikeIndex) all(e *yaml.Node) []*yaml.Node {
	if key, ok := keyOfElement(e); ok {
		return x.by[key]
	}
	return nil
}

// first is the first of all, nil if there is none.
func (x alikeIndex) first(e *yaml.Node) *yaml.Node {
	if all := x.all(e); len(all) > 0 {
		return all[0]
	}
	return nil
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

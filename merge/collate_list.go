package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// keyedNode is an element of one side's list with its key.
type keyedNode struct {
	node *yaml.Node
	key  elementKey
	ok   bool
}

// collateList makes a child of each key that a side has. Elements without a key
// and those whose key a side has twice become unkeyed children, each on its side
// alone (design 4, last paragraph).
func collateList(e *element, id identify, keys []schema.Key, rekeys bool) {
	var sides [3][]keyedNode
	twice := map[string]bool{}
	for _, side := range identity.Sides() {
		sides[side] = readKeys(e.parts(side, yaml.SequenceNode), id, twice)
	}
	index := map[string]int{}
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, k := range sides[side] {
			at, found := index[k.key.text]
			unkeyed := !k.ok || twice[k.key.text]
			if unkeyed || !found {
				at = len(e.children)
				e.children = append(e.children, &element{path: e.path.Element(k.key.parts), unkeyed: unkeyed})
			}
			if !unkeyed {
				index[k.key.text] = at
			}
			e.children[at].value[side] = k.node
			e.order[side] = append(e.order[side], at)
		}
	}
	if rekeys {
		joinRekeyed(e, keys)
	}
	for _, child := range e.children {
		child.keys = keys
		child.added = !child.has(origin) && child.has(upstream) && child.has(local)
		if !child.unkeyed {
			child.typ = e.typ.Element()
			child.resource = e.typ != nil && e.typ.Relation == schema.Resources
			child.migration = e.migration.below(child.typ, e.migration.was.Element())
		}
	}
}

// setRemovable says of the items of a List whether local may remove them for good.
func (e *element) setRemovable(removable bool) {
	for _, child := range e.children {
		child.removable = removable
	}
}

// readKeys reads the keys of one side's elements and notes in twice those that
// occur more than once.
func readKeys(content []*yaml.Node, id identify, twice map[string]bool) []keyedNode {
	nodes := make([]keyedNode, len(content))
	seen := make(map[string]bool, len(content))
	for i, n := range content {
		key, ok := id(n)
		nodes[i] = keyedNode{node: n, key: key, ok: ok}
		if ok && seen[key.text] {
			twice[key.text] = true
		}
		seen[key.text] = seen[key.text] || ok
	}
	return nodes
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// joinRekeyed makes one element of what both sides re-keyed: one that origin
// alone has, one that upstream alone has and one that local alone has, of one
// name that none of the lists has twice (80 became 8080 and 8081, all of them
// http). What both sides changed in it then is a conflict on that element
// (DESIGN 3.3), instead of two elements where there was one.
func joinRekeyed(e *element) {
	names := [3]map[string]int{}
	for _, side := range identity.Sides() {
		names[side] = e.soleNames(side)
	}
	moved := map[int]int{}
	for _, i := range e.order[local] {
		name, sole := e.soleName(i, local)
		o, inOrigin := names[origin][name]
		u, inUpstream := names[upstream][name]
		if !sole || !inOrigin || !inUpstream || names[local][name] != i {
			continue
		}
		c := e.children[i]
		c.path = e.children[o].path
		c.value[origin], c.value[upstream] = e.children[o].value[origin], e.children[u].value[upstream]
		moved[o], moved[u] = i, i
	}
	if len(moved) > 0 {
		e.renumber(moved)
	}
}

// soleName is the name of an element that one side alone has.
func (e *element) soleName(i int, side identity.Side) (string, bool) {
	c := e.children[i]
	for _, other := range identity.Sides() {
		if other != side && c.has(other) {
			return "", false
		}
	}
	n := lookup(c.value[side], []string{"name"})
	if c.loose || n == nil || n.Kind != yaml.ScalarNode {
		return "", false
	}
	return n.Value, true
}

// soleNames finds the elements that side alone has, by the names that no other
// element of the side's list has.
func (e *element) soleNames(side identity.Side) map[string]int {
	count, out := map[string]int{}, map[string]int{}
	for _, i := range e.order[side] {
		if n := lookup(e.children[i].value[side], []string{"name"}); n != nil {
			count[n.Value]++
		}
	}
	for _, i := range e.order[side] {
		if name, sole := e.soleName(i, side); sole && count[name] == 1 {
			out[name] = i
		}
	}
	return out
}

// renumber takes out the children that were joined with others: moved says
// which with which.
func (e *element) renumber(moved map[int]int) {
	index := make([]int, len(e.children))
	var children []*element
	for i, c := range e.children {
		if _, gone := moved[i]; !gone {
			index[i] = len(children)
			children = append(children, c)
		}
	}
	for i, to := range moved {
		index[i] = index[to]
	}
	for _, side := range identity.Sides() {
		order := slices.Clone(e.order[side])
		for at, i := range order {
			order[at] = index[i]
		}
		e.order[side] = order
	}
	e.children = children
}

package merge

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// joinRekeyed makes one element of a port that both sides re-keyed (DESIGN 3.3):
// ports have a second field, name, that is unique in their list too. Where 80
// became 8080 upstream and 8081 locally, all of them http, the element that
// origin alone has and those that upstream and local have new are one, and what
// both sides changed in it is a conflict. So are two that both sides added.
func joinRekeyed(e *element, keys []schema.Key) {
	if len(keys) == 0 || keys[0].Name != "port" && keys[0].Name != "containerPort" {
		return
	}
	names := [3]map[string]int{}
	for _, side := range identity.Sides() {
		names[side] = e.uniqueNames(side)
	}
	moved := map[int]int{}
	for _, l := range e.order[local] {
		name := elementName(e.children[l].value[local])
		u, inUpstream := names[upstream][name]
		if at, unique := names[local][name]; !unique || at != l || !inUpstream || !e.isNew(l) || !e.isNew(u) {
			continue
		}
		if u != l && (e.children[u].has(local) || e.children[l].has(upstream)) {
			continue // either has a counterpart of another name
		}
		if o, inOrigin := names[origin][name]; inOrigin {
			if e.children[o].has(upstream) || e.children[o].has(local) {
				continue
			}
			e.children[l].path, e.children[l].value[origin] = e.children[o].path, e.children[o].value[origin]
			moved[o] = l
		}
		if u != l {
			e.children[l].value[upstream] = e.children[u].value[upstream]
			e.children[l].rekeyed = keys
			moved[u] = l
		}
	}
	if len(moved) > 0 {
		e.renumber(moved)
	}
}

// isNew says whether a child is an element with a key that origin lacks.
func (e *element) isNew(i int) bool { return !e.children[i].loose && !e.children[i].has(origin) }

// elementName is the name of an element, "" if it has none.
func elementName(n *yaml.Node) string {
	v := lookup(n, []string{"name"})
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}

// uniqueNames finds the elements of a side's list by the names that it has once.
func (e *element) uniqueNames(side identity.Side) map[string]int {
	out := map[string]int{}
	twice := map[string]bool{"": true}
	for _, i := range e.order[side] {
		name := elementName(e.children[i].value[side])
		if _, seen := out[name]; seen {
			twice[name] = true
		}
		out[name] = i
	}
	maps.DeleteFunc(out, func(name string, _ int) bool { return twice[name] })
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

// decideKey takes the key of an element that both sides re-keyed from one side,
// all parts of it: half a key is one that neither side wrote.
func decideKey(e *element, d *decision, policy Policy) {
	chosen := policy.Side(e.path)
	for i, c := range e.children {
		if slices.ContainsFunc(e.rekeyed, func(k schema.Key) bool { return k.Name == c.path.field }) {
			d.children[i] = version(c, take(chosen))
		}
	}
	d.conflict(BothChanged, e, chosen)
}

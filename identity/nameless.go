package identity

import "strings"

// joinNameless is design 2, step 6. A List without a name is identified by its path,
// which says nothing where one side has all resources in one file and another has
// a file for each. So Lists of a kind that lack a side join if they have an item of a
// name in common.
func (m *matcher) joinNameless(triples []Triple) []Triple {
	lists := map[ID]int{} // by an item, without its namespace
	gone := map[int]bool{}
	for i, t := range triples {
		if t.complete() || m.Items == nil || m.foremost(t).Naming != ByPath || !strings.HasSuffix(t.ID.Kind, "List") {
			continue
		}
		into := i
		items := m.items(t)
		for _, item := range items {
			if other, found := lists[item]; found && triples[other].ID.Kind == t.ID.Kind && disjoint(triples[other], t) {
				into = other
				break
			}
		}
		if into != i {
			triples[into] = join(triples[into], t)
			gone[i] = true
		}
		for _, item := range items {
			lists[item] = into
		}
	}
	return without(triples, gone)
}

// items are the resources that a List has on some side, without their namespaces.
func (m *matcher) items(t Triple) []ID {
	var out []ID
	for _, side := range Sides() {
		if t.Has(side) {
			for _, item := range m.Items(side, t.At[side]) {
				out = append(out, anyNamespace(item))
			}
		}
	}
	return out
}

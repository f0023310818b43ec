package merge

import (
	"cmp"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideList is design 3.3 and 3.4: an associative list element by element, each of
// them a whole. In a set an element has no content of its own, so the rows come
// down to local, plus what upstream added, minus what upstream removed. A list
// that the merge emptied stays, as [], only if upstream and local both still
// have it.
func decideList(e *element, elements []decision, policy Policy) decision {
	d := decision{verdict: MergeParts, children: elements}
	markAdded(e, elements, policy)
	arrange(e, &d, policy)
	both := e.effective(upstream) != nil && e.effective(local) != nil
	if len(d.order) == 0 && !both {
		d.verdict = Drop
	}
	return d
}

// unkeyedElement keeps what no key tells apart as local has it.
func unkeyedElement(c *element) decision {
	if c.has(local) {
		return decision{verdict: TakeLocal}
	}
	return decision{verdict: Drop}
}

// decideUnkeyed decides a list with unkeyed elements whole, by 3.1, if it can: one
// side left the list alone, or both agree, or upstream changed the unkeyed
// elements so that nothing tells which of them became which. That is a conflict
// duplicate-key if local changed the list too (design 4).
func decideUnkeyed(e *element, policy Policy) (d decision, done bool) {
	o, u := e.unkeyedChildren(origin), e.unkeyedChildren(upstream)
	if len(o)+len(u)+len(e.unkeyedChildren(local)) == 0 {
		return decision{}, false
	}
	d = decideAtomic(e, policy)
	if len(d.conflicts) == 0 {
		return d, true
	}
	if slices.EqualFunc(o, u, func(i, j int) bool { return e.unkeyedText(i) == e.unkeyedText(j) }) {
		return decision{}, false
	}
	d.conflicts[0].Kind = DuplicateKey
	return d, true
}

// unkeyedChildren lists a side's children that no key tells apart.
func (e *element) unkeyedChildren(side identity.Side) []int {
	return slices.DeleteFunc(slices.Clone(e.order[side]), func(i int) bool { return !e.children[i].unkeyed })
}

// unkeyedText is a text that two children which no key tells apart share if they
// are the same, each on its side. Defaults of keys that are written out do not count.
func (e *element) unkeyedText(i int) string {
	c := e.children[i]
	return canonicalOf(e.typ.Element(), fullKey(cmp.Or(c.value[origin], c.value[upstream], c.value[local]), c.keys))
}

// beside is upstream's order, in which local's children stand for those of
// upstream that no key tells apart and that local has as well: what upstream added
// goes after them.
func (e *element) beside() []int {
	ours := map[string][]int{}
	for _, i := range e.unkeyedChildren(local) {
		ours[e.unkeyedText(i)] = append(ours[e.unkeyedText(i)], i)
	}
	out := slices.Clone(e.order[upstream])
	for at, i := range out {
		if !e.children[i].unkeyed || len(ours) == 0 {
			continue
		}
		if text := e.unkeyedText(i); len(ours[text]) > 0 {
			out[at], ours[text] = ours[text][0], ours[text][1:]
		}
	}
	return out
}

// arrange orders a list's elements (design 3.5). Local's order is the base. If
// upstream reordered the elements that all three sides have and local did not,
// upstream's is. If both did, differently, that is a conflict; a set has no
// order, so there it is none and local's stands.
func arrange(e *element, d *decision, policy Policy) {
	common := func(side identity.Side) []int {
		var out []int
		for _, i := range e.order[side] {
			c := e.children[i]
			if c.has(origin) && c.has(upstream) && c.has(local) && d.children[i].verdict != Drop {
				out = append(out, i)
			}
		}
		return out
	}
	o, u, l := common(origin), common(upstream), common(local)
	base := local
	switch {
	case slices.Equal(o, u) || slices.Equal(u, l):
	case slices.Equal(o, l):
		base = upstream
	case e.typ == nil || e.typ.Relation != schema.Set:
		base = policy.Side(e.path)
		d.conflict(Order, e, base)
	}
	if base == upstream {
		d.order = weave(d.children, e.beside(), e.order[local])
		return
	}
	d.order = weave(d.children, e.order[local], e.behind(e.beside()))
}

package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/sibling"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideList decides an associative list element by element, each of them added and deleted as one (rules/lists: keyed
// lists; rules/lists: sets). The elements of a set have no fields, so the result is local's, plus upstream's additions,
// minus upstream's removals. A list that the merge emptied stays, as [], only if upstream and local both have it.
func decideList(e *element, elements []decision, policy Policy) decision {
	d := decision{verdict: MergeParts, children: elements}
	markAdded(e, elements, policy)
	orderElements(e, &d, policy)
	if len(d.order) == 0 && (e.effective(upstream) == nil || e.effective(local) == nil) {
		d.verdict = Drop
	}
	return d
}

// decideUnkeyed decides a list with unkeyed elements whole (rules/fields: whole values), if one side did not
// change the list, or both agree, or upstream changed the unkeyed elements, for which no key tells which became
// which. The latter is a conflict duplicate-key if local changed the list too (rules/lists: duplicate keys).
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

// unkeyedChildren returns a side's unkeyed children.
func (e *element) unkeyedChildren(side identity.Side) []int {
	return slices.DeleteFunc(slices.Clone(e.order[side]), func(i int) bool { return !e.children[i].unkeyed })
}

// unkeyedText returns a text that two unkeyed children share if and only if they are equal, apart from defaults
// of keys.
func (e *element) unkeyedText(i int) string {
	c := e.children[i]
	return canonicalOf(e.typ.Element(), fullKey(cmp.Or(c.value[origin], c.value[upstream], c.value[local]), c.keys))
}

// upstreamOrder returns upstream's order, with local's unkeyed children instead of upstream's equal ones, so that
// upstream's additions follow them.
func (e *element) upstreamOrder() []int {
	locals := map[string][]int{}
	for _, i := range e.unkeyedChildren(local) {
		locals[e.unkeyedText(i)] = append(locals[e.unkeyedText(i)], i)
	}
	out := slices.Clone(e.order[upstream])
	for at, i := range out {
		if !e.children[i].unkeyed || len(locals) == 0 {
			continue
		}
		if text := e.unkeyedText(i); len(locals[text]) > 0 {
			out[at], locals[text] = locals[text][0], locals[text][1:]
		}
	}
	return out
}

// orderElements orders a list's elements (rules/lists: order). Local's order is the base; upstream's is if upstream
// reordered the elements that all sides have and local did not. If both did, differently, that is a conflict, unless
// the list is a set, which has no order.
func orderElements(e *element, d *decision, policy Policy) {
	common := func(side identity.Side) []int {
		return slices.DeleteFunc(slices.Clone(e.order[side]), func(i int) bool { return !e.children[i].inAll() || d.children[i].verdict == Drop })
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
		d.order = weave(d.children, e.upstreamOrder(), e.order[local])
	} else {
		d.order = weave(d.children, e.order[local], e.withLocalFirst(e.upstreamOrder()))
	}
}

// ElementsPart is the Part of a conflict about elements of a list without keys.
const ElementsPart = "elements"

// decideHunks merges a list without keys that both sides changed hunk by hunk, as git merges lines (rules/lists: lists
// without keys): changes with an unchanged element between them are both taken, under every policy. Other changes are
// a conflict, with the policy's side's elements, except for the policy union, for which decideUnion merges the list.
func decideHunks(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if !areLists(v) || v[origin] == nil || v[upstream] == nil || v[local] == nil {
		return decision{}, false
	}
	side := policy.Side(e.path)
	ids, _ := e.numbers([3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content})
	pieces, clean := mergeSequences(ids)
	if !clean && policy.otherwise(e.path) == PreferUnion || !isFaithful(ids, resolved(ids, pieces, side), clean, side) {
		return decision{}, false
	}
	content := []*yaml.Node{}
	for _, p := range pieces {
		from := p.chosen(side)
		content = append(content, v[from].Content[p.from[from]:p.to[from]]...)
	}
	out := *v[local]
	out.Content = content
	d := e.made(&out)
	switch {
	case clean:
		d.remark(ElementsMerged, e)
	case d.verdict == takeMade:
		d.conflict(BothChanged, e, side).Part = ElementsPart
	default: // every change of one side collides: the list is taken whole
		return decision{}, false
	}
	return d, true
}

// numbers numbers the elements of lists from 0 to n-1, equal elements with one number.
func (e *element) numbers(lists [3][]*yaml.Node) (ids [3][]int, n int) {
	index := map[string]int{}
	for side, list := range lists {
		texts := make([]string, len(list))
		for i, node := range list {
			texts[i] = canonicalOf(e.typ.Element(), node)
		}
		ids[side] = number(index, texts)
	}
	return ids, len(index)
}

// isFaithful reports whether a merged list has each element as often as the changes of the sides require (rules/lists:
// lists without keys). An element comes too often if both sides added it in two positions, and too often or too seldom
// if one side moved an element that the other removed. If hunks collide and chosen's were taken, an element that the
// other side has as often as origin comes as often as in chosen's list.
func isFaithful(ids [3][]int, merged []int, clean bool, chosen identity.Side) bool {
	counts := map[int]*[4]int{} // by side, and last in the merged list
	for side, list := range [4][]int{ids[0], ids[1], ids[2], merged} {
		for _, id := range list {
			if counts[id] == nil {
				counts[id] = &[4]int{}
			}
			counts[id][side]++
		}
	}
	for _, n := range counts {
		most, has := max(n[origin], n[upstream], n[local]), n[3]
		if has > 1 && has > most && (most == 1 || n[origin] == 0) {
			return false
		}
		for _, side := range [2]identity.Side{upstream, local} {
			if (clean || side == chosen) && n[otherSide(side)] == n[origin] && has != n[side] {
				return false
			}
		}
	}
	return true
}

// mergedOrder returns the order of a map's children in the result.
func (e *element) mergedOrder(children []decision) []int {
	return weave(children, e.order[local], e.withLocalFirst(e.order[upstream]))
}

// weave returns the children of the result in order (rules/lists: order): the ones in base in its order, and each of
// the others after its nearest preceding sibling in other, else first.
func weave(children []decision, base, other []int) []int {
	inBase := make([]bool, len(children))
	for _, i := range base {
		inBase[i] = true
	}
	return sibling.Weave(present(children, base), present(children, other), func(i int) bool { return inBase[i] })
}

// withLocalFirst returns an order of upstream's for weave, with local's additions inserted if they come before
// upstream's in one position (rules/git: additions at one place).
func (e *element) withLocalFirst(order []int) []int {
	if !e.rules.LocalFirst {
		return order
	}
	return sibling.Behind(e.order[local], order, func(i int) bool { return !e.children[i].has(origin) })
}

// present returns the children of an order that the result has.
func present(children []decision, order []int) []int {
	out := make([]int, 0, len(order))
	for _, i := range order {
		if children[i].verdict != Drop {
			out = append(out, i)
		}
	}
	return out
}

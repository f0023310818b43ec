package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/sibling"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideList follows rules/lists: keyed lists; rules/lists: sets: an associative list
// element by element, each of them a whole. In a set an element has no content of its
// own, so the rows come down to local, plus what upstream added, minus what upstream
// removed. A list that the merge emptied stays, as [], only if upstream and local both
// still have it.
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

// decideUnkeyed decides a list with unkeyed elements whole (rules/fields: whole
// values), if it can: one side left the list alone, or both agree, or upstream changed
// the unkeyed elements so that nothing tells which of them became which. That is a
// conflict duplicate-key if local changed the list too (rules/lists: duplicate keys).
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

// arrange orders a list's elements (rules/lists: order). Local's order is the base. If
// upstream reordered the elements that all three sides have and local did not,
// upstream's is. If both did, differently, that is a conflict; a set has no order, so
// there it is none and local's stands.
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

// ElementsPart is the part of a list without keys that both sides changed at the same
// elements, as conflicts name it.
const ElementsPart = "elements"

// decideHunks decides a list without keys that both sides changed hunk by hunk, as git
// merges lines (rules/lists: lists without keys): changes with an unchanged element
// between them are both taken, under every policy. Of hunks that touch the policy's
// side's elements are taken, and the list is in conflict; under the policy union such a
// list is left to decideUnion.
func decideHunks(e *element, policy Policy) (decision, bool) {
	w, ok := newWeaving(e)
	if !ok {
		return decision{}, false
	}
	side := policy.Side(e.path)
	refs, clean := w.woven(side)
	if !w.isFaithful(refs, clean, side) || !clean && policy(e.path) == PreferUnion {
		return decision{}, false
	}
	out := *w.versions[local]
	out.Content = make([]*yaml.Node, 0, len(refs))
	for _, r := range refs {
		out.Content = append(out.Content, w.versions[r.side].Content[r.index])
	}
	d := e.made(&out)
	switch {
	case clean:
		d.remark(ElementsMerged, e)
	case d.verdict == takeMade:
		d.conflict(BothChanged, e, side)
		d.conflicts[0].Part = ElementsPart
	default: // every change of one side collides: the list is taken whole
		return decision{}, false
	}
	return d, true
}

// weaving is three versions of a list, with a number for each element. Equal numbers are
// equal elements.
type weaving struct {
	versions [3]*yaml.Node
	ids      [3][]int
}

// newWeaving reads the versions of a list; it is not ok where a side has no list, or one of
// another tag.
func newWeaving(e *element) (weaving, bool) {
	w := weaving{versions: [3]*yaml.Node{e.value[origin], e.effective(upstream), e.effective(local)}}
	var lists [3][]*yaml.Node
	for side, n := range w.versions {
		if l := w.versions[local]; n == nil || l == nil || n.Kind != yaml.SequenceNode || !sameForm(n, l) {
			return w, false
		}
		lists[side] = n.Content
	}
	w.ids, _ = e.numbers(lists)
	return w, true
}

// numbers gives each element of a list a number, below n. Equal elements have one number.
func (e *element) numbers(lists [3][]*yaml.Node) (ids [3][]int, n int) {
	index := map[string]int{}
	for side, list := range lists {
		for _, node := range list {
			text := canonicalOf(e.typ.Element(), node)
			if _, found := index[text]; !found {
				index[text] = len(index)
			}
			ids[side] = append(ids[side], index[text])
		}
	}
	return ids, len(index)
}

// elementOf is an element of a side's list, by its index.
type elementOf struct {
	side  identity.Side
	index int
}

// woven is the merge of the lists by hunks, with one side's version of those that collide.
func (w weaving) woven(side identity.Side) (out []elementOf, clean bool) {
	pieces, clean := interweave(w.ids)
	for _, p := range pieces {
		from := p.chosen(side)
		for i := p.from[from]; i < p.to[from]; i++ {
			out = append(out, elementOf{from, i})
		}
	}
	return out, clean
}

// isFaithful reports whether a merged list has each element as often as the changes of the
// sides say (rules/lists: lists without keys). It has an element too often where both sides
// added it in two places, and too often or too seldom where one side moved an element that
// the other removed. If hunks collide and chosen's were taken, an element that the other side
// has as often as origin comes out as often as chosen has it.
func (w weaving) isFaithful(refs []elementOf, clean bool, chosen identity.Side) bool {
	const merged = 3
	counts := map[int]*[4]int{} // by side, and of the merged list
	count := func(at, id int) {
		if counts[id] == nil {
			counts[id] = &[4]int{}
		}
		counts[id][at]++
	}
	for side, ids := range w.ids {
		for _, id := range ids {
			count(side, id)
		}
	}
	for _, r := range refs {
		count(merged, w.ids[r.side][r.index])
	}
	for _, n := range counts {
		most := max(n[origin], n[upstream], n[local])
		if n[merged] > 1 && n[merged] > most && (most == 1 || n[origin] == 0) {
			return false
		}
		for _, side := range [2]identity.Side{upstream, local} {
			if (clean || side == chosen) && n[otherSide(side)] == n[origin] && n[merged] != n[side] {
				return false
			}
		}
	}
	return true
}

// weave orders the children that the result has (rules/lists: order): those of base in
// base's order, and each that only other has right after its nearest preceding sibling
// in other that is there, else first. base and other are indices into children.
func weave(children []decision, base, other []int) []int {
	inBase := make([]bool, len(children))
	for _, i := range base {
		inBase[i] = true
	}
	return sibling.Weave(present(children, base), present(children, other), func(i int) bool { return inBase[i] })
}

// behind is an order of upstream's, for weave, in which what local alone added stands too
// where that comes first: what both sides add at one place is then local's and after that
// upstream's (rules/git: additions at one place).
func (e *element) behind(order []int) []int {
	if !e.localFirst {
		return order
	}
	return sibling.Behind(e.order[local], order, func(i int) bool { return !e.children[i].has(origin) })
}

// present are the children of an order that the result has.
func present(children []decision, order []int) []int {
	out := make([]int, 0, len(order))
	for _, i := range order {
		if children[i].verdict != Drop {
			out = append(out, i)
		}
	}
	return out
}

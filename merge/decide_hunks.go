package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// ElementsPart is the part of a list without keys that both sides changed at the same
// elements, as conflicts name it.
const ElementsPart = "elements"

// decideHunks decides a list without keys that both sides changed hunk by hunk, as git
// merges lines (design 3.1): changes with an unchanged element between them are both
// taken, under every policy. Of hunks that touch the policy's side's elements are taken,
// and the list is in conflict; under the policy union such a list is left to decideUnion.
func decideHunks(e *element, policy Policy) (decision, bool) {
	w, ok := newWeaving(e)
	if !ok {
		return decision{}, false
	}
	side := policy.Side(e.path)
	refs, clean := w.woven(side)
	if !w.isFaithful(refs, clean) || !clean && policy(e.path) == PreferUnion {
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
// sides say. It has an element too often where both sides added the same thing in two places,
// and, though no hunk collides, too often or too seldom where one side moved an element that
// the other removed.
func (w weaving) isFaithful(refs []elementOf, clean bool) bool {
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
		byUpstream, byLocal := n[upstream] != n[origin], n[local] != n[origin]
		if clean && (byUpstream && !byLocal && n[merged] != n[upstream] || byLocal && !byUpstream && n[merged] != n[local]) {
			return false
		}
	}
	return true
}

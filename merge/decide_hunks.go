package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ElementsPart is the Part of a conflict about elements of a list without keys.
const ElementsPart = "elements"

// decideHunks merges a list without keys that both sides changed hunk by hunk, as git merges lines (rules/lists: lists
// without keys): changes with an unchanged element between them are both taken, under every policy, and so are changes
// of elements in their place. Other changes are a conflict, with the policy's side's elements, except for the policy
// union, for which decideUnion merges the list.
func decideHunks(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if !areLists(v) || v[origin] == nil || v[upstream] == nil || v[local] == nil {
		return decision{}, false
	}
	lists := [3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content}
	h, side := mergeElements(e.typ.Element(), lists), local
	if !h.clean {
		side = policy.Side(e.path)
	}
	if !h.clean && policy.otherwise(e.path) == PreferUnion || !h.isFaithful(side) {
		return decision{}, false
	}
	out := *v[local]
	out.Content = h.content(lists, side)
	d := e.made(&out)
	switch {
	case h.clean:
		d.remark(ElementsMerged, e)
	case d.verdict == takeMade:
		d.conflict(BothChanged, e, side).Part = ElementsPart
	default: // every change of one side collides: the list is taken whole
		return decision{}, false
	}
	return d, true
}

// elementHunks are the merged pieces of lists, and the elements of the collisions that were merged in their place.
type elementHunks struct {
	ids    [3][]int
	pieces []piece
	clean  bool
	// settled has the merged elements of a piece, and both the positions there of the elements that both sides changed.
	settled map[int][]*yaml.Node
	both    map[int][]int
}

// mergeElements merges lists of a type of elements by hunks. Collisions are settled element by element where merging the
// result again would change nothing.
func mergeElements(typ *schema.Type, lists [3][]*yaml.Node) elementHunks {
	h := settledHunks(lists, inPlace{typ: typ})
	if len(h.settled) == 0 {
		return h
	}
	for _, side := range [2]identity.Side{upstream, local} {
		again := lists
		again[local] = h.content(lists, side)
		if merged := settledHunks(again, inPlace{typ: typ}).content(again, side); !slices.EqualFunc(merged, again[local], Same) {
			return newElementHunks(typ, lists)
		}
	}
	return h
}

func newElementHunks(typ *schema.Type, lists [3][]*yaml.Node) elementHunks {
	h := elementHunks{settled: map[int][]*yaml.Node{}, both: map[int][]int{}}
	h.ids, _ = numbers(typ, lists)
	h.pieces, h.clean = mergeSequences(h.ids)
	return h
}

// settledHunks settles the collisions of lists element by element, where that is possible.
func settledHunks(lists [3][]*yaml.Node, m inPlace) elementHunks {
	h := newElementHunks(m.typ, lists)
	h.clean = true
	for i, p := range h.pieces {
		if !p.collide {
			continue
		}
		var versions [3][]*yaml.Node
		for side, list := range lists {
			versions[side] = list[p.from[side]:p.to[side]]
		}
		merged, both, ok := m.settle(versions)
		if !ok {
			h.clean = false
			continue
		}
		h.settled[i], h.both[i] = merged, both
	}
	return h
}

// content returns the elements of the merged list. A side wins the collisions.
func (h elementHunks) content(lists [3][]*yaml.Node, side identity.Side) []*yaml.Node {
	content := []*yaml.Node{}
	for i, p := range h.pieces {
		if settled, ok := h.settled[i]; ok {
			content = append(content, settled...)
			continue
		}
		from := p.chosen(side)
		content = append(content, lists[from][p.from[from]:p.to[from]]...)
	}
	return content
}

// isFaithful reports whether the merged list, without the elements that both sides changed in their place, has each
// element as often as the changes of the sides require.
func (h elementHunks) isFaithful(side identity.Side) bool {
	var ids [3][]int
	var merged []int
	for i, p := range h.pieces {
		var of [3][]int
		for at := range of {
			of[at] = h.ids[at][p.from[at]:p.to[at]]
		}
		if _, settled := h.settled[i]; !settled {
			merged = append(merged, of[p.chosen(side)]...)
		} else {
			of, merged = h.changedByOne(i, of, merged)
		}
		for at := range of {
			ids[at] = append(ids[at], of[at]...)
		}
	}
	return isFaithful(ids, merged, h.clean, side)
}

// changedByOne returns the numbers of the elements of a settled piece without those that both sides changed, and merged
// with the result's.
func (h elementHunks) changedByOne(i int, of [3][]int, merged []int) (ids [3][]int, _ []int) {
	for n, o := range of[origin] {
		u, l := of[upstream][n], of[local][n]
		if slices.Contains(h.both[i], n) {
			continue
		}
		ids[origin], ids[upstream], ids[local] = append(ids[origin], o), append(ids[upstream], u), append(ids[local], l)
		if o == l {
			l = u
		}
		merged = append(merged, l)
	}
	return ids, merged
}

// numbers numbers the elements of lists from 0 to n-1, equal elements with one number. typ is the elements' type.
func numbers(typ *schema.Type, lists [3][]*yaml.Node) (ids [3][]int, n int) {
	index := map[string]int{}
	for side, list := range lists {
		texts := make([]string, len(list))
		for i, node := range list {
			texts[i] = canonicalOf(typ, node)
		}
		ids[side] = number(index, texts)
	}
	return ids, len(index)
}

// isFaithful reports whether a merged list has each element as often as the changes of the sides require
// (rules/lists: lists without keys). An element occurs too often if both sides added it in two positions, and too
// often or too seldom if one side moved an element that the other removed. If hunks collide and chosen's were taken,
// an element that the other side has as often as origin must occur as often as in chosen's list.
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

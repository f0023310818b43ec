package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ElementsPart is the Part of a conflict about elements of a list without keys.
const ElementsPart = "elements"

// decideHunks merges a list without keys that both sides changed hunk by hunk, as git merges lines (rules/lists: lists
// without keys): changes with an unchanged element between them are both taken, under every policy. Other changes are a
// conflict, with the policy's side's elements, except for the policy union, for which decideUnion merges the list.
func decideHunks(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if !areLists(v) || v[origin] == nil || v[upstream] == nil || v[local] == nil {
		return decision{}, false
	}
	lists := e.followed([3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content})
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
	if d.verdict == takeMade && !e.isStable(lists, out.Content, policy) {
		return decision{}, false
	}
	if e.hasMore(lists, out.Content) && policy.otherwise(e.path) == PreferUnion {
		return decision{}, false
	}
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

// elementHunks are the merged pieces of lists.
type elementHunks struct {
	ids    [3][]int
	pieces []piece
	clean  bool
}

// mergeElements merges lists of a type of elements by hunks.
func mergeElements(typ *schema.Type, lists [3][]*yaml.Node) (h elementHunks) {
	h.ids, _ = numbers(typ, lists)
	h.pieces, h.clean = mergeSequences(h.ids, nil)
	return h
}

// content returns the elements of the merged list. A side wins the collisions.
func (h elementHunks) content(lists [3][]*yaml.Node, side identity.Side) []*yaml.Node {
	content := []*yaml.Node{}
	for _, p := range h.pieces {
		from := p.chosen(side)
		content = append(content, lists[from][p.from[from]:p.to[from]]...)
	}
	return content
}

// isFaithful reports whether the merged list has each element as often as the changes of the sides require.
func (h elementHunks) isFaithful(side identity.Side) bool {
	return isFaithful(h.ids, resolved(h.ids, h.pieces, side), h.clean, side)
}

// isStable reports whether merging the result again would change nothing, if the result has a merged list: the list is not
// origin's, and its hunks are merged to the same list, in which each element is as often as required.
func (e *element) isStable(lists [3][]*yaml.Node, merged []*yaml.Node, policy Policy) bool {
	typ, side := e.typ.Element(), local
	sameElement := func(a, b *yaml.Node) bool { return same(typ, a, b) }
	if slices.EqualFunc(merged, lists[origin], sameElement) {
		return false
	}
	lists[local] = merged
	h := mergeElements(typ, lists)
	if !h.clean {
		side = policy.Side(e.path)
	}
	return h.isFaithful(side) && slices.EqualFunc(h.content(lists, side), merged, sameElement)
}

// hasMore reports whether a merged list has an element of upstream's or local's more often than both.
func (e *element) hasMore(lists [3][]*yaml.Node, merged []*yaml.Node) bool {
	ids, n := numbers(e.typ.Element(), [3][]*yaml.Node{merged, lists[upstream], lists[local]})
	counts := make([][3]int, n)
	for i, list := range ids {
		for _, id := range list {
			counts[id][i]++
		}
	}
	return slices.ContainsFunc(counts, func(c [3]int) bool { return c[0] > max(c[1], c[2], 1) })
}

// markComments makes a conflict of the elements of a list without keys that one side removed or replaced, where the other
// side's comments are lost with them. Another whole value is a conflict as a whole.
func (e *element) markComments(d decision, lost [3]map[string]bool, policy Policy) decision {
	v, side := e.versions(), policy.Side(e.path)
	if !areLists(v) {
		d = e.take(side)
		d.conflict(BothChanged, e, side)
		return d
	}
	lists := [3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content}
	h := mergeElements(e.typ.Element(), lists)
	h.collideWith(lists, lost)
	out := *v[local]
	out.Content = h.content(lists, side)
	d = e.made(&out)
	if h.clean || !h.isFaithful(side) {
		d = e.take(side)
	}
	d.conflict(BothChanged, e, side).Part = ElementsPart
	return d
}

// collideWith makes a collision of each change of one side with which comments of the other side are lost.
func (h *elementHunks) collideWith(lists [3][]*yaml.Node, lost [3]map[string]bool) {
	for i, p := range h.pieces {
		if p.collide || p.by[upstream] == p.by[local] {
			continue
		}
		other := otherSide(p.side)
		for _, n := range lists[other][p.from[other]:p.to[other]] {
			eachComment(n, func(_ *yaml.Node, _, comment string) {
				for line := range strings.SplitSeq(comment, "\n") {
					p.collide = p.collide || lost[other][line]
				}
			})
		}
		h.pieces[i], h.clean = p, h.clean && !p.collide
	}
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

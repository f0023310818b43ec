package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideRenamed makes a conflict of an entry of a map that one side gave another name and another value, where the other
// side removed it or gave it a third name (rules/fields: renamed entries). It looks at the entries that origin alone has,
// and at the ones that one side alone has. inPlace has upstream's entries that stand in the place of local's.
func decideRenamed(e *element, d *decision, policy Policy) (inPlace map[int]int) {
	var gone, both []int
	var added [3][]int
	for i, c := range e.children {
		u, l := c.effective(upstream) != nil, c.effective(local) != nil
		switch {
		case c.has(origin) && !u && !l:
			gone = append(gone, i)
		case !c.has(origin) && u && !l:
			added[upstream] = append(added[upstream], i)
		case !c.has(origin) && l && !u:
			added[local] = append(added[local], i)
		case !c.has(origin) && u && l && c.same(c.effective(upstream), c.effective(local)):
			both = append(both, i)
		}
	}
	isStruct := e.typ.Describes() != schema.Nothing && len(e.typ.Fields) > 0
	if isStruct || e.orphan || e.added {
		return nil
	}
	e.decideShortened(d, policy, added, both)
	if len(gone) == 0 {
		return nil
	}
	var to [3]map[int]int
	for _, side := range [2]identity.Side{upstream, local} {
		to[side] = mostAlike(gone, added[side], func(o, i int) float64 { return e.entriesAlike(o, i, side) })
	}
	for _, o := range gone {
		u, byUpstream := to[upstream][o]
		l, byLocal := to[local][o]
		isCopy := byLocal && !byUpstream && !e.rules.RemovalsCollide && e.same(e.children[o].value[origin], e.children[l].value[local])
		switch {
		case byUpstream && byLocal:
			e.renamedEntry(d, policy, BothChanged, o, u, l)
			if d.children[l].verdict == Drop {
				if inPlace == nil {
					inPlace = map[int]int{}
				}
				inPlace[l] = u
			}
		case byUpstream:
			e.renamedEntry(d, policy, LocalDeleted, o, u, -1)
		case byLocal && !isCopy:
			e.renamedEntry(d, policy, UpstreamDeleted, o, -1, l)
		}
	}
	return inPlace
}

// decideShortened makes a conflict of an entry that one side gave another name, and from which the other side only removed
// something: this is in the result again, under the new name. both has the new entries of both sides: after an earlier merge local
// has the new name, too.
func (e *element) decideShortened(d *decision, policy Policy, added [3][]int, both []int) {
	for _, side := range [2]identity.Side{upstream, local} {
		var shortened []int
		for i, c := range e.children {
			other := c.effective(otherSide(side))
			if c.has(origin) && c.effective(side) == nil && other != nil && !d.children[i].conflicting() && !c.same(c.value[origin], other) {
				shortened = append(shortened, i)
			}
		}
		kind := UpstreamDeleted
		if side == local {
			kind = LocalDeleted
		}
		for o := range mostAlike(shortened, slices.Concat(added[side], both), func(o, i int) float64 { return e.entriesAlike(o, i, side) }) {
			c := e.children[o]
			chosen := policy.Side(c.path)
			if side == local && !policy.Marks(c.path) {
				chosen = local
			}
			d.children[o] = c.take(chosen)
			d.children[o].conflict(kind, c, chosen)
		}
	}
}

// orderInPlace is mergedOrder, with the entries of upstream's in the place of the ones of local's that they replace.
func (e *element) orderInPlace(children []decision, inPlace map[int]int) []int {
	if len(inPlace) == 0 {
		return e.mergedOrder(children)
	}
	children = slices.Clone(children)
	for l, u := range inPlace {
		children[l], children[u] = children[u], children[l]
	}
	order := e.mergedOrder(children)
	for at, i := range order {
		if u, replaced := inPlace[i]; replaced {
			order[at] = u
		}
	}
	return order
}

// renamedEntry decides the new entries u and l of an entry o, of which one may be -1: the result has the one of the
// policy's side.
func (e *element) renamedEntry(d *decision, policy Policy, kind Kind, o, u, l int) {
	values := [3]*yaml.Node{origin: e.children[o].value[origin]}
	at := max(u, l)
	if l >= 0 {
		at = l
	}
	chosen := policy.Side(e.children[at].path)
	if kind == UpstreamDeleted && e.keepsInferred(policy) {
		chosen = local
	}
	for side, i := range [3]int{origin: -1, upstream: u, local: l} {
		if i < 0 {
			continue
		}
		c := e.children[i]
		values[side] = c.value[side]
		if identity.Side(side) == chosen {
			d.children[i] = decision{verdict: take(chosen)}
		} else {
			d.children[i] = decision{verdict: Drop}
		}
	}
	d.children[at].conflict(kind, e.children[at], chosen).Values = values
}

// entriesAlike returns how much alike an entry of origin's and one of a side's with another name are, 0 if they do not
// count as one: maps and lists with at least half of their content in common, texts with as much of their lines or of
// themselves, and in a map of names any values whose names are alike.
func (e *element) entriesAlike(o, i int, side identity.Side) float64 {
	was, is := e.children[o].value[origin], e.children[i].value[side]
	if was.Kind != is.Kind {
		return 0
	}
	isScalar := was.Kind == yaml.ScalarNode
	share, least := 0.0, 0.5
	switch {
	case !isScalar:
		if share = shareOf(was, is); len(was.Content)+len(is.Content) < 4 {
			least = 1
		}
	case isShort(was) || isShort(is):
		least = 1
		if Same(was, is) {
			share = 0.5
		}
	default:
		share = linesInCommon(was.Value, is.Value)
	}
	if namesAlike(e.children[o].path.field, e.children[i].path.field) && (!isScalar || e.isMapOfNames()) {
		least = 0
	}
	if share < least {
		return 0
	}
	return 1 + share
}

// linesInCommon returns the share of the lines of two texts that they have in common; of a line, the share of the longer
// one that begins and ends both.
func linesInCommon(a, b string) float64 {
	if !strings.Contains(a, "\n") || !strings.Contains(b, "\n") {
		head, tail := commonEnds(a, b)
		return float64(head+tail) / float64(max(len(a), len(b), 1))
	}
	counts, total, common := map[string]int{}, 0, 0
	for line := range strings.Lines(a) {
		counts[line]++
		total++
	}
	for line := range strings.Lines(b) {
		if counts[line] > 0 {
			counts[line]--
			common++
		}
		total++
	}
	return 2 * float64(common) / float64(total)
}

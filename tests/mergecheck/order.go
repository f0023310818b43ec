package mergecheck

import (
	"go.yaml.in/yaml/v3"
)

// checkOrder objects to two elements of a list without keys that stand in the result in another order than both sides'
// changes give: the order of the side that changed it, or of the only side that has both. Nothing is said of lists that
// have an element twice.
func (c *checker) checkOrder(p *place) {
	var at [versions]map[string]int
	for v, spots := range p.spots {
		if len(spots) > 1 || len(spots) == 1 && spots[0].value.Kind != yaml.SequenceNode {
			return
		}
		at[v] = map[string]int{}
		for _, s := range spots {
			for i, e := range s.value.Content {
				text := whole(e, scalar)
				if _, twice := at[v][text]; twice {
					return
				}
				at[v][text] = i + 1
			}
		}
	}
	if c.keysOf(p) != nil {
		return
	}
	followReplaced(&at)
	for x := range at[Result] {
		for y := range at[Result] {
			if at[Result][x] < at[Result][y] && isTurned(at, x, y) && (!c.Marks || at[Marked][x] < at[Marked][y]) {
				c.object(p, "%s stands before %s", x, y)
			}
		}
	}
}

// followReplaced gives the only element that a side has instead of origin's its place in origin, and in the other side.
func followReplaced(at *[versions]map[string]int) {
	for _, sides := range [2][2]Version{{Upstream, Local}, {Local, Upstream}} {
		side, other := sides[0], sides[1]
		var gone, added []string
		for e := range at[Origin] {
			if at[side][e] == 0 {
				gone = append(gone, e)
			}
		}
		for e := range at[side] {
			if at[Origin][e] == 0 {
				added = append(added, e)
			}
		}
		if len(gone) != 1 || len(added) != 1 {
			continue
		}
		at[Origin][added[0]] = at[Origin][gone[0]]
		if at[other][added[0]] == 0 && at[other][gone[0]] != 0 {
			at[other][added[0]] = at[other][gone[0]]
		}
	}
}

// isTurned reports whether x is to be behind y.
func isTurned(at [versions]map[string]int, x, y string) bool {
	const none, before, behind = 0, 1, 2
	order := func(v Version) int {
		switch i, j := at[v][x], at[v][y]; {
		case i == 0 || j == 0:
			return none
		case i < j:
			return before
		}
		return behind
	}
	o, u, l := order(Origin), order(Upstream), order(Local)
	switch {
	case u == none || u == o && l != none:
		return l == behind
	case l == none || l == o:
		return u == behind
	}
	return u == behind && l == behind
}

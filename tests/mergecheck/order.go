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
	for x := range at[Result] {
		for y := range at[Result] {
			if at[Result][x] < at[Result][y] && isTurned(at, x, y) && (!c.Marks || at[Marked][x] < at[Marked][y]) {
				c.object(p, "%s stands before %s", x, y)
			}
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

package identity

import "fmt"

// checkAmbiguous finds triples of one ID that could still be one resource, and
// an ID that upstream adds to a package that has it already: neither can be
// merged. It is one pass, also over a hostile number of triples.
func checkAmbiguous(group []Triple, sides [3][]Entry) error {
	if a, b, found := joinable(group); found {
		return ambiguous(group, a, b, sides)
	}
	if a, b, found := addedTwice(group, sides[Upstream]); found {
		return ambiguous(group, a, b, sides)
	}
	return nil
}

// joinable finds two triples without a side in common.
func joinable(group []Triple) (a, b Triple, found bool) {
	var seen [8]*Triple // by the set of sides a triple has
	for i := range group {
		mask := 0
		for _, side := range Sides() {
			if group[i].Has(side) {
				mask |= 1 << side
			}
		}
		for other, t := range seen {
			if t != nil && other&mask == 0 {
				return *t, group[i], true
			}
		}
		seen[mask] = &group[i]
	}
	return a, b, false
}

// addedTwice finds an addition of upstream's to a package in which another
// triple of the group lies upstream.
func addedTwice(group []Triple, upstream []Entry) (a, b Triple, found bool) {
	type seen struct {
		triple Triple
		added  bool
	}
	packages := map[string]seen{}
	for _, t := range group {
		if !t.Has(Upstream) {
			continue
		}
		added := !t.Has(Origin) && !t.Has(Local)
		pkg := upstream[t.At[Upstream]].Package
		if first, clash := packages[pkg]; clash && (added || first.added) {
			return first.triple, t, true
		}
		packages[pkg] = seen{triple: t, added: added}
	}
	return a, b, false
}

func ambiguous(group []Triple, a, b Triple, sides [3][]Entry) error {
	side, x, y := clashing(group, a, b)
	first, second := where(sides[side][min(x, y)]), where(sides[side][max(x, y)])
	places := fmt.Sprintf("in %s and in %s", first, second)
	if first == second {
		places = "both times in " + first
	}
	return fmt.Errorf("%s occurs twice on the %s side, %s, and nothing tells which is which", a.ID, side, places)
}

// clashing finds the side that has the ID twice, and the two places.
func clashing(group []Triple, a, b Triple) (side Side, x, y int) {
	for _, u := range [2]Triple{a, b} {
		for _, t := range append([]Triple{a, b}, group...) {
			for _, side := range Sides() {
				if t.Has(side) && u.Has(side) && t.At[side] != u.At[side] {
					return side, u.At[side], t.At[side]
				}
			}
		}
	}
	return Local, a.At[Local], b.At[Local]
}

func where(e Entry) string {
	if e.Path == "" {
		return "an item without a path"
	}
	return e.Path
}

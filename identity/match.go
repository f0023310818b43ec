package identity

import (
	"fmt"
	"strconv"
)

// Triple is the versions of one resource: an index into each side's entries,
// or -1 where that side has none.
type Triple struct {
	ID ID
	At [3]int
}

// Has says whether side has a version of the resource.
func (t Triple) Has(side Side) bool { return t.At[side] >= 0 }

func single(id ID, side Side, index int) Triple {
	t := Triple{ID: id, At: [3]int{-1, -1, -1}}
	t.At[side] = index
	return t
}

// Match joins the entries of the three sides into triples (DESIGN 2): by ID,
// then what lacks local by upstream-identifier, then across migrated groups.
//
// Where a side has several of one ID, it is first what tells a copy from its
// original that decides, then the path, the order (only of what has no name),
// the package, and last that exactly one is left on each side. The triples come
// in the order of local's entries, then upstream's, then origin's.
//
// What stays ambiguous is an error that names the ID, the side and both files.
// Several that only local has are just local's.
func Match(sides [3][]Entry) ([]Triple, error) {
	groups := newGroups()
	for _, side := range [3]Side{Local, Upstream, Origin} {
		ids := settleCopies(sides[side])
		for i := range sides[side] {
			groups.add(single(ids[i], side, i))
		}
	}
	var out []Triple
	for _, group := range groups.all {
		joined, err := resolve(group, sides)
		if err != nil {
			return nil, err
		}
		out = append(out, joined...)
	}
	return joinMigrated(joinByIdentifier(out, sides[Local])), nil
}

// groups collects triples of one ID, in the order in which the IDs first came.
type groups struct {
	at  map[ID]int
	all [][]Triple
}

func newGroups() *groups { return &groups{at: map[ID]int{}} }

func (g *groups) add(t Triple) {
	i, found := g.at[t.ID]
	if !found {
		i = len(g.all)
		g.at[t.ID] = i
		g.all = append(g.all, nil)
	}
	g.all[i] = append(g.all[i], t)
}

// settleCopies returns the IDs of one side's entries. A file that was copied
// brings its merge comment along: where several entries claim one ID and one of
// them has it as its own name and namespace, the others go by theirs.
func settleCopies(entries []Entry) []ID {
	ids := make([]ID, len(entries))
	owned := make(map[ID]bool, len(entries))
	claims := make(map[ID]int, len(entries))
	for i, e := range entries {
		ids[i] = e.ID()
		claims[ids[i]]++
		if e.Own() == ids[i] {
			owned[ids[i]] = true
		}
	}
	for i, e := range entries {
		if claims[ids[i]] > 1 && owned[ids[i]] {
			ids[i] = e.Own()
		}
	}
	return ids
}

// resolve joins the triples of one ID.
func resolve(group []Triple, sides [3][]Entry) ([]Triple, error) {
	same := func(Triple) string { return "" }
	if joined := joinBy(group, same); len(joined) == 1 {
		return joined, nil
	}
	entry := func(t Triple) (Entry, Side, int) {
		for _, side := range [3]Side{Upstream, Origin, Local} {
			if t.Has(side) {
				return sides[side][t.At[side]], side, t.At[side]
			}
		}
		return Entry{}, Local, -1
	}
	group = joinBy(group, func(t Triple) string { e, _, _ := entry(t); return e.Path })
	if e, _, _ := entry(group[0]); e.Naming != ByName {
		group = joinBy(group, ordinals(group))
	}
	group = joinBy(group, func(t Triple) string { e, _, _ := entry(t); return e.Package })
	group = joinRest(group)
	return group, checkAmbiguous(group, sides)
}

// joinBy joins the triples that have one key, where no side occurs twice among
// them; the others stay apart.
func joinBy(group []Triple, key func(Triple) string) []Triple {
	at := make(map[string]int, len(group))
	var out []Triple
	clash := map[string]bool{}
	for _, t := range group {
		k := key(t)
		i, found := at[k]
		if !found {
			at[k] = len(out)
			out = append(out, t)
			continue
		}
		if !disjoint(out[i], t) {
			clash[k] = true
		}
		out[i] = join(out[i], t)
	}
	if len(clash) == 0 {
		return out
	}
	return splitClashes(group, out, key, clash)
}

// splitClashes is joined, with the triples of a clashing key as they were.
func splitClashes(group, joined []Triple, key func(Triple) string, clash map[string]bool) []Triple {
	var out []Triple
	next := 0
	seen := map[string]bool{}
	for _, t := range group {
		k := key(t)
		first := !seen[k]
		seen[k] = true
		if clash[k] {
			out = append(out, t)
		} else if first {
			out = append(out, joined[next])
		}
		if first {
			next++
		}
	}
	return out
}

// ordinals keys triples by how many of their side came before them.
func ordinals(group []Triple) func(Triple) string {
	counts := [3]int{}
	keys := make(map[[3]int]string, len(group))
	for _, t := range group {
		for _, side := range Sides() {
			if t.Has(side) {
				keys[t.At] = strconv.Itoa(counts[side])
				counts[side]++
			}
		}
	}
	return func(t Triple) string { return keys[t.At] }
}

// joinRest joins what lacks a side, if exactly one is left on each.
func joinRest(group []Triple) []Triple {
	complete := func(t Triple) string {
		if t.Has(Origin) && t.Has(Upstream) && t.Has(Local) {
			return fmt.Sprint(t.At)
		}
		return ""
	}
	return joinBy(group, complete)
}

func disjoint(a, b Triple) bool {
	for _, side := range Sides() {
		if a.Has(side) && b.Has(side) {
			return false
		}
	}
	return true
}

func join(a, b Triple) Triple {
	for _, side := range Sides() {
		if !a.Has(side) {
			a.At[side] = b.At[side]
		}
	}
	return a
}

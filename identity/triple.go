package identity

import "fmt"

// Triple is the versions of one resource: an index into each side's entries,
// or -1 where that side has none.
type Triple struct {
	ID ID
	At [3]int
	// Ambiguous says that local has several of the ID where upstream has one, and
	// nothing tells which of them is upstream's. The triple lacks local.
	Ambiguous bool
	// OtherNamespace says that local's version was found in another namespace,
	// though no merge comment says so.
	OtherNamespace bool
	// OtherName says that local's version was found under another name, though no merge
	// comment says so.
	OtherName bool
	// ByContent says that it was found so by nothing but its content.
	ByContent bool
	// Candidates are local's entries that may be the resource under another name, where
	// that is not certain. The triple lacks local.
	Candidates []int
	// Elsewhere says that upstream deleted a resource of this name, and that
	// local's, which lies at another path and says something else, was not taken
	// for it. The triple has local only.
	Elsewhere bool

	byIndex bool // which of several is which was told by their order
}

// Has reports whether side has a version of the resource.
func (t Triple) Has(side Side) bool { return t.At[side] >= 0 }

// only reports whether side alone has a version.
func (t Triple) only(side Side) bool {
	for _, s := range Sides() {
		if t.Has(s) != (s == side) {
			return false
		}
	}
	return true
}

// complete reports whether all sides have a version.
func (t Triple) complete() bool { return t.Has(Origin) && t.Has(Upstream) && t.Has(Local) }

func single(id ID, side Side, index int) Triple {
	t := Triple{ID: id, At: [3]int{-1, -1, -1}}
	t.At[side] = index
	return t
}

// disjoint reports whether no side is in both.
func disjoint(a, b Triple) bool {
	for _, side := range Sides() {
		if a.Has(side) && b.Has(side) {
			return false
		}
	}
	return true
}

// join is a with the sides of b that it lacks.
func join(a, b Triple) Triple {
	for _, side := range Sides() {
		if !a.Has(side) {
			a.At[side] = b.At[side]
		}
	}
	a.byIndex = a.byIndex || b.byIndex
	a.Ambiguous = (a.Ambiguous || b.Ambiguous) && !a.Has(Local)
	return a
}

// without is triples without those that are gone, in place.
func without(triples []Triple, gone map[int]bool) []Triple {
	if len(gone) == 0 {
		return triples
	}
	out := triples[:0]
	for i, t := range triples {
		if !gone[i] {
			out = append(out, t)
		}
	}
	return out
}

// checkTwice finds entries of one ID that upstream or origin has twice in one
// file: nothing could tell which of local's is which. What has no name of its
// own goes by its order.
func (m *matcher) checkTwice(id ID, group [3][]int) error {
	for _, side := range [2]Side{Upstream, Origin} {
		seen := make(map[string]int, len(group[side]))
		for _, i := range group[side] {
			e := m.sides[side][i]
			first, twice := seen[e.Path]
			if twice && e.Naming == ByName {
				return fmt.Errorf("%s occurs twice on the %s side, %s, and nothing tells which is which: "+
					"give one a merge comment, name it in renames of the function config, or leave one out by .krmignore",
					id, side, m.bothIn(side, first, i))
			}
			seen[e.Path] = i
		}
	}
	return nil
}

// bothIn says where two entries of one file are.
func (m *matcher) bothIn(side Side, a, b int) string {
	file := m.sides[side][a].Path
	at := [2]int{}
	for i := range b + 1 {
		if m.sides[side][i].Path == file {
			at[1]++
		}
		if i == a {
			at[0] = at[1]
		}
	}
	if file == "" {
		return fmt.Sprintf("as item %d and item %d of those without a path", at[0], at[1])
	}
	return fmt.Sprintf("as item %d and item %d of %s", at[0], at[1], file)
}

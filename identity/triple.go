package identity

import "fmt"

// Triple is the versions of one resource: an index into each side's entries, or -1 if the side has
// none.
type Triple struct {
	ID ID
	At [3]int
	// Ambiguous reports that local has several resources of the ID and nothing tells which of them
	// is upstream's. The triple lacks local.
	Ambiguous bool
	// OtherNamespace reports that local's version is in another namespace and has no merge comment.
	OtherNamespace bool
	// OtherName reports that local's version has another name and no merge comment.
	OtherName bool
	// ByContent reports that local's version was matched by its content alone.
	ByContent bool
	// Candidates are local entries that may be the resource under another name. The triple lacks
	// local.
	Candidates []int
	// Elsewhere reports that upstream deleted a resource of this ID, and that local's, at another
	// path and with other content, was not matched with it. The triple has local only.
	Elsewhere bool

	byOrder bool // which of several is which was told by their order
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

// disjoint reports whether no side has a version in both.
func disjoint(a, b Triple) bool {
	for _, side := range Sides() {
		if a.Has(side) && b.Has(side) {
			return false
		}
	}
	return true
}

// join returns a with the versions of b for the sides that a lacks.
func join(a, b Triple) Triple {
	for _, side := range Sides() {
		if !a.Has(side) {
			a.At[side] = b.At[side]
		}
	}
	a.byOrder = a.byOrder || b.byOrder
	a.Ambiguous = (a.Ambiguous || b.Ambiguous) && !a.Has(Local)
	return a
}

// removeJoined removes the triples in gone, in place.
func removeJoined(triples []Triple, gone map[int]bool) []Triple {
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

// checkDuplicates returns an error if upstream or origin has entries of one ID twice in one file:
// nothing could tell which of local's is which. Items without a name of their own are told apart by
// their order.
func (m *matcher) checkDuplicates(id ID, group [3][]int) error {
	for _, side := range [2]Side{Upstream, Origin} {
		seen := make(map[string]int, len(group[side]))
		for _, i := range group[side] {
			e := m.sides[side][i]
			first, duplicate := seen[e.Path]
			if duplicate && e.Naming == ByName {
				return fmt.Errorf("%s occurs twice on the %s side, %s, and they cannot be told apart: "+
					"give one a merge comment, name it in renames of the function config, or leave one out by .krmignore",
					id, side, m.describePair(side, first, i))
			}
			seen[e.Path] = i
		}
	}
	return nil
}

// describePair describes the location of two entries of one file.
func (m *matcher) describePair(side Side, a, b int) string {
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

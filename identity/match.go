package identity

import (
	"fmt"
	"slices"
)

// Matches is the result of Match.
type Matches struct {
	// Triples are in the order of local's entries, then upstream's, then origin's.
	Triples []Triple
	// Moves are the namespaces that local replaced, by the evidence of the triples.
	Moves []Move
	// Unused are the indices of renames that match no entry of origin's or local's.
	Unused []int
}

// Match joins the entries of the three sides into triples (rules/identity: replaced namespaces), by
// map look-ups: by ID, then triples without local by upstream-identifier, then triples that upstream
// moved to another namespace, then across migrated groups, then triples without local across namespaces,
// then under other names, then the Namespace objects of these, then Lists without a name.
//
// A pair without upstream deletes local's resource. If its two versions have different paths, they are a pair only if
// they are equal, or if paths are no evidence: else local may have made its resource for itself.
//
// If upstream or origin has one ID twice in one file, the error names the ID, the side and both items.
func Match(sides [3][]Entry, o Options) (Matches, error) {
	m := &matcher{Options: o, sides: sides, renames: newRenames(o.Renames)}
	copies := map[copyKey]bool{}
	for _, side := range Sides() {
		m.ids[side] = m.identify(side, copies)
	}
	m.completeKinds()
	triples, err := m.joinByID()
	if err != nil {
		return Matches{}, err
	}
	triples = m.joinByIdentifier(m.joinByOwnID(triples))
	triples = m.joinMigrated(m.joinMovedUpstream(triples))
	triples = m.joinNamespaces(m.joinAcrossNamespaces(triples))
	triples = m.joinNamespaces(m.joinRenamed(triples))
	triples = m.splitElsewhere(m.joinNameless(triples))
	triples = m.inOrder(triples)
	return Matches{Triples: triples, Moves: m.moves(triples), Unused: m.renames.unused()}, nil
}

// identify returns the IDs of one side's entries, with upstream's current names for origin's and local's.
func (m *matcher) identify(side Side, copies map[copyKey]bool) []ID {
	entries := m.sides[side]
	ids := make([]ID, len(entries))
	commented := false
	for i, e := range entries {
		ids[i] = m.currentID(side, e.ID())
		commented = commented || e.Comment != ""
	}
	if commented {
		m.nameCopies(side, ids, copies)
	}
	return ids
}

// copyKey identifies a copy: an entry's own ID and the merge comment of another resource.
type copyKey struct {
	own     ID
	comment string
}

// nameCopies sets the IDs of copies to their own IDs. A file that was copied on origin's or upstream's side has the
// merge comment of the original: if several entries claim one ID and one of them has it as its own, the others are
// copies. The same entries on local's side are copies too; for local's other copies resolve looks at the paths first.
func (m *matcher) nameCopies(side Side, ids []ID, copies map[copyKey]bool) {
	own, claimed := make([]ID, len(ids)), false
	for i, e := range m.sides[side] {
		own[i] = m.currentID(side, e.OwnID())
		claimed = claimed || own[i] != ids[i]
	}
	if !claimed {
		return
	}
	owned := map[ID]bool{}
	for i, id := range own {
		owned[id] = owned[id] || id == ids[i]
	}
	for i, e := range m.sides[side] {
		if own[i] == ids[i] {
			continue
		}
		c := copyKey{own[i], e.Comment}
		if side != Local && owned[ids[i]] {
			copies[c] = true
		}
		if copies[c] {
			ids[i] = own[i]
		}
	}
}

// joinByID follows rules/identity: by identity. Most IDs occur once in a side.
func (m *matcher) joinByID() ([]Triple, error) {
	at := make(map[ID]int, len(m.ids[Local]))
	crowded := map[int]*[3][]int{}
	var triples []Triple
	for _, side := range [3]Side{Local, Upstream, Origin} {
		for i, id := range m.ids[side] {
			n, found := at[id]
			switch {
			case !found:
				at[id] = len(triples)
				triples = append(triples, single(id, side, i))
			case triples[n].Has(side):
				crowded[n] = &[3][]int{}
			default:
				triples[n].At[side] = i
			}
		}
	}
	return m.resolveAll(triples, at, crowded)
}

// resolveAll replaces the triples of IDs that a side has several times.
func (m *matcher) resolveAll(triples []Triple, at map[ID]int, crowded map[int]*[3][]int) ([]Triple, error) {
	for _, side := range Sides() {
		for i := 0; len(crowded) > 0 && i < len(m.ids[side]); i++ {
			if group := crowded[at[m.ids[side][i]]]; group != nil {
				group[side] = append(group[side], i)
			}
		}
	}
	m.directories, m.joined = m.movedDirectories(triples, crowded), m.joinedFile(triples, crowded)
	out := make([]Triple, 0, len(triples))
	for n, t := range triples {
		group := crowded[n]
		if group == nil {
			out = append(out, m.splitApart(t)...)
			continue
		}
		if err := m.checkDuplicates(t.ID, *group); err != nil {
			return nil, err
		}
		out = append(out, m.resolve(t.ID, *group)...)
	}
	return out, nil
}

// inOrder sorts triples by local's entries, then upstream's, then origin's.
func (m *matcher) inOrder(triples []Triple) []Triple {
	var slots [3][]int // by side and entry: 1 + the triple
	for _, side := range Sides() {
		slots[side] = make([]int, len(m.sides[side]))
	}
	for i, t := range triples {
		for _, side := range Sides() {
			if t.Has(side) {
				slots[side][t.At[side]] = 1 + i
			}
		}
	}
	out := make([]Triple, 0, len(triples))
	for _, side := range [3]Side{Local, Upstream, Origin} {
		for _, slot := range slots[side] {
			t := triples[slot-1]
			if (side == Local || !t.Has(Local)) && (side != Origin || !t.Has(Upstream)) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Options are the input of matching besides the entries.
type Options struct {
	// Renames are upstream's renames.
	Renames []Rename
	// Likeness returns the share of values that two entries have in common, without names and namespaces, from 0 to 1.
	// nil returns 0 for all.
	Likeness func(a, b EntryIndex) float64
	// Apart reports whether no build joins a file of upstream's with one of local's: a resource of one ID in both is two
	// resources. nil returns false for all.
	Apart func(upstream, local string) bool
	// Content counts the values of an entry besides its apiVersion, kind, name and namespace. nil returns 0 for all.
	Content func(side Side, at int) int
	// Moves are replaced namespaces known from elsewhere: for the items of a List, from the resources around it.
	Moves []Move
	// Renamed enables the search for renamed copies without a merge comment, and for resources that upstream moved to
	// another namespace.
	Renamed bool
	// Items returns the own IDs of the resources in an entry that is a List. nil returns none.
	Items func(side Side, at int) []ID
}

// EntryIndex is an entry of a side, by its index.
type EntryIndex struct {
	Side Side
	At   int
}

// minLikeness is the likeness above which two entries are mostly alike.
const minLikeness = 0.8

// matcher is one run of Match.
type matcher struct {
	Options
	sides   [3][]Entry
	renames renames
	ids     [3][]ID
	// directories is the result of movedDirectories, and joined of joinedFile.
	directories map[[2]string]bool
	joined      string
}

// currentID returns upstream's current ID for an ID of side.
func (m *matcher) currentID(side Side, id ID) ID {
	if side == Upstream {
		return id
	}
	return m.renames.apply(id)
}

// hasOwnID reports whether the own name and namespace of a local entry are the identity that it claims.
func (m *matcher) hasOwnID(local int) bool {
	return m.currentID(Local, m.sides[Local][local].OwnID()) == m.ids[Local][local]
}

// likeness returns the likeness of the versions of side and local.
func (m *matcher) likeness(t Triple, side Side) float64 {
	if m.Likeness == nil {
		return 0
	}
	return m.Likeness(EntryIndex{side, t.At[side]}, EntryIndex{Local, t.At[Local]})
}

// content counts the values of an entry that can be compared.
func (m *matcher) content(side Side, at int) int {
	if m.Content == nil {
		return 0
	}
	return m.Content(side, at)
}

// representative returns the entry that determines the area of a triple: origin's, else upstream's, else local's.
func (m *matcher) representative(t Triple) Entry {
	for _, side := range Sides() {
		if t.Has(side) {
			return m.sides[side][t.At[side]]
		}
	}
	return Entry{}
}

// newest returns upstream's entry of a triple without local, else origin's.
func (m *matcher) newest(t Triple) Entry {
	if t.Has(Upstream) {
		return m.sides[Upstream][t.At[Upstream]]
	}
	return m.representative(t)
}

// soleOwner returns the only local entry, or the only one whose own metadata has the ID; the others
// are copies with its merge comment.
func (m *matcher) soleOwner(local []int) (found int, sole bool) {
	if len(local) == 1 {
		return local[0], true
	}
	owners := 0
	for _, i := range local {
		if m.hasOwnID(i) {
			found = i
			owners++
		}
	}
	return found, owners == 1
}

// Triple is the versions of one resource: an index into each side's entries, or -1 if the side has none.
type Triple struct {
	ID ID
	At [3]int
	// Ambiguous reports that local has several resources of the ID, and none of them is certain to be upstream's. The
	// triple lacks local.
	Ambiguous bool
	// OtherNamespace reports that local's version is in another namespace and has no merge comment.
	OtherNamespace bool
	// MovedUpstream reports that upstream moved the resource to another namespace.
	MovedUpstream bool
	// OtherName reports that local's version has another name and no merge comment.
	OtherName bool
	// ByContent reports that local's version was matched by its content alone.
	ByContent bool
	// Candidates are local entries that may be the resource under another name. The triple lacks local.
	Candidates []int
	// Successors are upstream's new entries that may be the resource under another name. The triple has origin, and no
	// local under the same name.
	Successors []int
	// Elsewhere reports that upstream deleted a resource of this ID, and that local's, at another
	// path and with other content, was not matched with it. The triple has local only.
	Elsewhere bool

	byOrder bool // several resources were matched by their order alone
}

// Has reports whether side has a version of the resource.
func (t Triple) Has(side Side) bool { return t.At[side] >= 0 }

// only reports whether side alone has a version.
func (t Triple) only(side Side) bool { return t.Has(side) && t.At == single(t.ID, side, t.At[side]).At }

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
	a.MovedUpstream = a.MovedUpstream || b.MovedUpstream
	a.Ambiguous = (a.Ambiguous || b.Ambiguous) && !a.Has(Local)
	return a
}

// removeJoined removes the triples in gone, in place.
func removeJoined(triples []Triple, gone map[int]bool) []Triple {
	if len(gone) == 0 {
		return triples
	}
	i := -1
	return slices.DeleteFunc(triples, func(Triple) bool { i++; return gone[i] })
}

// checkDuplicates returns an error if upstream or origin has entries of one ID twice in one file: they could not be
// matched with local's. Items without a name of their own are matched by their order.
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

package identity

// Options is what matching knows beside the entries.
type Options struct {
	// Renames are what upstream renamed.
	Renames []Rename
	// Likeness is how much an entry of origin's or upstream's has in common with
	// one of local's, names and namespaces aside, from 0 to 1. nil: nothing is
	// alike.
	Likeness func(side Side, at, local int) float64
	// Content is how many values an entry has beside its apiVersion and kind, and its
	// name and namespace. nil: none has any.
	Content func(side Side, at int) int
	// Moves are namespaces of which it is known otherwise that local replaced them: for the
	// items of a List, by the resources around it.
	Moves []Move
	// Renamed says that renamed copies without a merge comment are looked for.
	Renamed bool
	// Items are the resources in an entry that is a List, by their own names. nil: Lists
	// have none.
	Items func(side Side, at int) []ID
}

// alike is the likeness above which two entries are mostly alike.
const alike = 0.8

// matcher is one run of Match.
type matcher struct {
	Options
	sides   [3][]Entry
	renames renames
	ids     [3][]ID
	// directories are those that movedDirectories finds.
	directories map[[2]string]bool
}

// called is what upstream calls a resource now that side calls id.
func (m *matcher) called(side Side, id ID) ID {
	if side == Upstream {
		return id
	}
	return m.renames.apply(id)
}

// owns reports whether one of local's entries has the identity that it claims
// as its own name and namespace.
func (m *matcher) owns(local int) bool {
	return m.called(Local, m.sides[Local][local].Own()) == m.ids[Local][local]
}

// likeness is how much the versions of side and local have in common.
func (m *matcher) likeness(t Triple, side Side) float64 {
	if m.Likeness == nil {
		return 0
	}
	return m.Likeness(side, t.At[side], t.At[Local])
}

// content is how many values an entry has that another can be like.
func (m *matcher) content(side Side, at int) int {
	if m.Content == nil {
		return 0
	}
	return m.Content(side, at)
}

// foremost is the entry by which a triple lies in an area: origin's, else
// upstream's, else local's.
func (m *matcher) foremost(t Triple) Entry {
	for _, side := range Sides() {
		if t.Has(side) {
			return m.sides[side][t.At[side]]
		}
	}
	return Entry{}
}

// newest is upstream's entry of a triple without local, else origin's.
func (m *matcher) newest(t Triple) Entry {
	if t.Has(Upstream) {
		return m.sides[Upstream][t.At[Upstream]]
	}
	return m.foremost(t)
}

// soleOwner is the one of local's entries, or the one of several whose own
// metadata equals the ID; the others are copies that brought its merge comment
// along.
func (m *matcher) soleOwner(local []int) (found int, sole bool) {
	if len(local) == 1 {
		return local[0], true
	}
	owners := 0
	for _, i := range local {
		if m.owns(i) {
			found = i
			owners++
		}
	}
	return found, owners == 1
}

package identity

// Matches is what Match finds.
type Matches struct {
	// Triples come in the order of local's entries, then upstream's, then origin's.
	Triples []Triple
	// Moves are the namespaces that local replaced, as the triples show them.
	Moves []Move
	// Unused are the indices of renames that no entry of origin's or local's has.
	Unused []int
}

// Match joins the entries of the three sides into triples (rules/identity: replaced namespaces), by map
// look-ups: by ID, then what lacks local by upstream-identifier, then across migrated groups, then what
// lacks local across namespaces, then under other names, then Lists without a name.
//
// A pair that lacks upstream deletes local's resource. Where its two lie at
// different paths it is a pair only if local's says what origin's does, or if paths say
// nothing: else local may have made it for itself.
//
// One ID twice in one file of upstream's or origin's is an error that names the
// ID, the side and both places.
func Match(sides [3][]Entry, o Options) (Matches, error) {
	m := &matcher{Options: o, sides: sides, renames: newRenames(o.Renames)}
	copies := map[copied]bool{}
	for _, side := range Sides() {
		m.ids[side] = m.identify(side, copies)
	}
	triples, err := m.joinByID()
	if err != nil {
		return Matches{}, err
	}
	triples = m.joinByIdentifier(m.joinByOwn(triples))
	triples = m.joinMigrated(triples)
	triples = m.joinNamespaces(m.joinAcrossNamespaces(triples))
	triples = m.keepElsewhere(m.joinNameless(m.joinRenamed(triples)))
	triples = m.inOrder(triples)
	return Matches{Triples: triples, Moves: m.moves(triples), Unused: m.renames.unused()}, nil
}

// identify returns the IDs of one side's entries, origin's and local's as
// upstream calls them now.
func (m *matcher) identify(side Side, copies map[copied]bool) []ID {
	entries := m.sides[side]
	ids := make([]ID, len(entries))
	commented := false
	for i, e := range entries {
		ids[i] = m.called(side, e.ID())
		commented = commented || e.Comment != ""
	}
	if commented {
		m.nameCopies(side, ids, copies)
	}
	return ids
}

// copied is an entry by its own name that has another's merge comment.
type copied struct {
	own     ID
	comment string
}

// nameCopies has copies go by their own names. On origin's and upstream's side
// a file that was copied brings its merge comment along: where several entries
// claim one ID and one of them has it as its own, the others are copies. Those
// are copies on local's side too; of local's own the path is asked first, see
// resolve.
func (m *matcher) nameCopies(side Side, ids []ID, copies map[copied]bool) {
	owned := map[ID]bool{}
	own := make([]ID, len(ids))
	for i, e := range m.sides[side] {
		own[i] = m.called(side, e.Own())
		if own[i] == ids[i] {
			owned[ids[i]] = true
		}
	}
	for i, e := range m.sides[side] {
		if own[i] == ids[i] {
			continue
		}
		c := copied{own[i], e.Comment}
		if side != Local && owned[ids[i]] {
			copies[c] = true
		}
		if copies[c] {
			ids[i] = own[i]
		}
	}
}

// joinByID follows rules/identity: by identity. Most IDs occur once a side.
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

// resolveAll replaces the triples of IDs that a side has several of.
func (m *matcher) resolveAll(triples []Triple, at map[ID]int, crowded map[int]*[3][]int) ([]Triple, error) {
	for _, side := range Sides() {
		for i := 0; len(crowded) > 0 && i < len(m.ids[side]); i++ {
			if group := crowded[at[m.ids[side][i]]]; group != nil {
				group[side] = append(group[side], i)
			}
		}
	}
	m.directories = m.movedDirectories(triples, crowded)
	out := make([]Triple, 0, len(triples))
	for n, t := range triples {
		group := crowded[n]
		if group == nil {
			out = append(out, m.apart(t)...)
			continue
		}
		if err := m.checkTwice(t.ID, *group); err != nil {
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

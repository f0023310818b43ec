package identity

import "strings"

// meeting is how triples that lack local find local items that are left over.
type meeting struct {
	// wanted is the ID of the triple that a local item belongs to, if it says so.
	wanted func(local Triple) (ID, bool)
	// is the ID by which a triple is found; false for one that is not to be found.
	is func(open Triple) (ID, bool)
	// fits reports whether the two belong together; nil: all do.
	fits func(open, local Triple) bool
	// mark notes on a triple how it was joined; nil: it does not matter.
	mark func(*Triple)
}

// area says where an entry lies, as far as that has to be equal.
type area func(Entry) string

func inFile(e Entry) string { return e.Path }

func anywhere(Entry) string { return "" }

// meet joins triples that lack local with what is left over of local's: those at
// one path first.
func (m *matcher) meet(triples []Triple, how meeting) []Triple {
	return m.meetIn(anywhere, m.meetIn(inFile, triples, how), how)
}

// meetIn joins triples that lack local with what is left over of local's, where
// in an area one of each has an ID. It is one pass over each.
func (m *matcher) meetIn(where area, triples []Triple, how meeting) []Triple {
	at := map[idAt]*pairing{}
	all := m.pairLocal(triples, at, where, how)
	if len(all) == 0 {
		return triples
	}
	m.pairOpen(triples, at, where, how)
	return joinPairings(triples, all, how)
}

// pairLocal begins the pairings with what is left over of local's.
func (m *matcher) pairLocal(triples []Triple, at map[idAt]*pairing, where area, how meeting) (all []*pairing) {
	for i, t := range triples {
		if !t.only(Local) {
			continue
		}
		id, ok := how.wanted(t)
		if !ok {
			continue
		}
		key := idAt{id, where(m.foremost(t))}
		if at[key] == nil {
			at[key] = &pairing{}
			all = append(all, at[key])
		}
		at[key].local = append(at[key].local, i)
	}
	return all
}

// pairOpen adds the triples that lack local.
func (m *matcher) pairOpen(triples []Triple, at map[idAt]*pairing, where area, how meeting) {
	for i, t := range triples {
		if t.Has(Local) {
			continue
		}
		if id, ok := how.is(t); ok {
			if p := at[idAt{id, where(m.newest(t))}]; p != nil {
				p.open = append(p.open, i)
			}
		}
	}
}

// newest is upstream's entry of a triple without local, else origin's.
func (m *matcher) newest(t Triple) Entry {
	if t.Has(Upstream) {
		return m.sides[Upstream][t.At[Upstream]]
	}
	return m.foremost(t)
}

type idAt struct {
	id   ID
	path string
}

// pairing is the triples and the local items of one ID.
type pairing struct{ open, local []int }

func joinPairings(triples []Triple, all []*pairing, how meeting) []Triple {
	gone := map[int]bool{}
	for _, p := range all {
		if len(p.open) != 1 || len(p.local) != 1 {
			continue
		}
		open, local := triples[p.open[0]], triples[p.local[0]]
		if how.fits == nil || how.fits(open, local) {
			triples[p.open[0]] = join(open, local)
			if how.mark != nil {
				how.mark(&triples[p.open[0]])
			}
			gone[p.local[0]] = true
		}
	}
	return without(triples, gone)
}

// joinByOwn has what is left over of local's, with a merge comment that another
// took or that names nothing, go by its own name and namespace: a copy that was
// renamed to what upstream has too, or one whose comment is older than a rename
// upstream. It never finds what upstream deleted.
func (m *matcher) joinByOwn(triples []Triple) []Triple {
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			e := m.sides[Local][t.At[Local]]
			_, commented := e.mergeComment()
			return m.called(Local, e.Own()), commented && !m.owns(t.At[Local])
		},
		is: func(t Triple) (ID, bool) { return t.ID, t.Has(Upstream) },
	})
}

// joinByIdentifier is DESIGN 2, step 2: a triple that lacks local joins an
// unmatched local entry whose upstream-identifier names it. kpt writes that
// annotation, and it outlives what strips comments. Namespaces `default` and
// `~C` in it match any: kpt writes them for cluster-scoped kinds too.
func (m *matcher) joinByIdentifier(triples []Triple) []Triple {
	identifier := func(t Triple) (ID, bool) {
		e := m.sides[Local][t.At[Local]]
		id, ok := parseIdentifier(e.Identifier)
		return m.called(Local, e.scoped(id)), ok
	}
	triples = m.meet(triples, meeting{
		wanted: identifier,
		is:     func(t Triple) (ID, bool) { return t.ID, true },
	})
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			id, ok := identifier(t)
			return anyNamespace(id), ok && (id.Namespace == "default" || id.Namespace == "~C")
		},
		is: func(t Triple) (ID, bool) { return anyNamespace(t.ID), true },
	})
}

// parseIdentifier reads group|kind|namespace|name.
func parseIdentifier(text string) (ID, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return ID{}, false
	}
	return ID{Group: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, true
}

func anyNamespace(id ID) ID {
	id.Namespace = ""
	return id
}

package identity

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

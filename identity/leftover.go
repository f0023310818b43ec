package identity

// joinLast joins the last ones left of one ID within each area.
func (m *matcher) joinLast(where area, triples []Triple) []Triple {
	index := map[string]int{}
	var all []*leftover
	for i, t := range triples {
		if t.complete() {
			continue
		}
		key := where(m.foremost(t))
		n, found := index[key]
		if !found {
			n = len(all)
			index[key] = n
			all = append(all, &leftover{})
		}
		all[n].add(i, t)
	}
	gone := map[int]bool{}
	for _, l := range all {
		m.joinLeftover(l, triples, gone)
	}
	return without(triples, gone)
}

// leftover is the triples of an area that lack a side: those with an origin,
// those without one that have upstream, and those that have local only.
type leftover struct{ origin, upstream, local []int }

func (l *leftover) add(i int, t Triple) {
	switch {
	case t.Has(Origin):
		l.origin = append(l.origin, i)
	case t.Has(Upstream):
		l.upstream = append(l.upstream, i)
	default:
		l.local = append(l.local, i)
	}
}

// joinLeftover joins the one that origin has left with those of the other sides.
// What joins another is gone.
func (m *matcher) joinLeftover(l *leftover, triples []Triple, gone map[int]bool) {
	if len(l.origin) != 1 {
		return
	}
	t := triples[l.origin[0]]
	var with []int
	if !t.Has(Upstream) {
		if len(l.upstream) != 1 || !disjoint(t, triples[l.upstream[0]]) {
			return
		}
		with = append(with, l.upstream[0])
		t = join(t, triples[l.upstream[0]])
	}
	if !t.Has(Local) && len(l.local) > 0 {
		n, sole := m.soleLocal(l.local, triples)
		if !sole {
			triples[l.origin[0]].Ambiguous = triples[l.origin[0]].Has(Upstream)
			return
		}
		with = append(with, n)
		t = join(t, triples[n])
	}
	triples[l.origin[0]] = t
	for _, n := range with {
		gone[n] = true
	}
}

// soleLocal is the triple of soleOwner.
func (m *matcher) soleLocal(local []int, triples []Triple) (found int, sole bool) {
	entries := make([]int, len(local))
	at := make(map[int]int, len(local))
	for n, i := range local {
		entries[n] = triples[i].At[Local]
		at[entries[n]] = i
	}
	owner, sole := m.soleOwner(entries)
	return at[owner], sole
}

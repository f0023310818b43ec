package identity

// place is where an item lies: its file, and of what has no name of its own,
// the how manieth of its ID in that file it is.
type place struct {
	path string
	nth  int
}

// resolve joins the entries of one ID that a side has several of, as the base,
// the overlays and the patches of a kustomize package (design 2):
//
//   - those at the same path in their sides belong together; of several of
//     local's there, the one whose own metadata equals the ID;
//   - then, if origin has one left that still lacks a side and each other side
//     that has any such has exactly one, those: first within a directory, then
//     within a package, then anywhere. No pair of origin and local alone is made
//     so: it would delete what may be local's own.
//
// What is left of upstream is added, what is left of local is kept, and what is
// left of origin was deleted.
func (m *matcher) resolve(id ID, group [3][]int) []Triple {
	triples := m.joinByPlace(id, group)
	for _, where := range []area{inDirectory, inPackage, anywhere} {
		triples = m.joinLast(where, triples)
	}
	return triples
}

// joinByPlace joins the entries at one path. Those of local's that are not
// upstream's stay alone.
func (m *matcher) joinByPlace(id ID, group [3][]int) []Triple {
	p := newPlaces(id)
	for _, side := range [2]Side{Origin, Upstream} {
		for n, where := range m.placesOf(side, group[side]) {
			p.at(where).At[side] = group[side][n]
		}
	}
	places := m.placesOf(Local, group[Local])
	crowds := map[place][]int{}
	for n, where := range places {
		crowds[where] = append(crowds[where], group[Local][n])
	}
	chosen := make(map[place]int, len(crowds))
	for where, crowd := range crowds {
		if i, sole := m.soleOwner(crowd); sole {
			chosen[where] = i
		}
	}
	var alone []Triple
	for n, i := range group[Local] {
		first, sole := chosen[places[n]]
		if sole && first == i {
			p.at(places[n]).At[Local] = i
			continue
		}
		alone = append(alone, single(id, Local, i))
		if p.has(places[n]) && !sole {
			p.at(places[n]).Ambiguous = true
		}
	}
	return append(p.triples, alone...)
}

// places are the triples of one ID by place.
type places struct {
	id      ID
	index   map[place]int
	triples []Triple
}

func newPlaces(id ID) *places { return &places{id: id, index: map[place]int{}} }

func (p *places) has(where place) bool {
	_, found := p.index[where]
	return found
}

// at is the triple at a place.
func (p *places) at(where place) *Triple {
	n, found := p.index[where]
	if !found {
		n = len(p.triples)
		p.index[where] = n
		p.triples = append(p.triples, Triple{ID: p.id, At: [3]int{-1, -1, -1}, byIndex: where.nth > 1})
	}
	return &p.triples[n]
}

// placesOf are the places of entries of one ID.
func (m *matcher) placesOf(side Side, group []int) []place {
	counts := map[string]int{}
	out := make([]place, len(group))
	for n, i := range group {
		e := m.sides[side][i]
		out[n].path = e.Path
		if e.Naming != ByName {
			counts[e.Path]++
			out[n].nth = counts[e.Path]
		}
	}
	return out
}

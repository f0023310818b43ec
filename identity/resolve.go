package identity

import (
	"path"
	"slices"
)

// place is where an item lies: its file, and of what has no name of its own,
// the how manieth of its ID in that file it is.
type place struct {
	path string
	nth  int
}

// resolve joins the entries of one ID that a side has several of, as the base, the
// overlays and the patches of a kustomize package (rules/identity: by identity):
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

// apart splits a triple of upstream's and local's that their ID alone holds
// together, if both sides have added it, to different directories, and the two
// are not mostly alike: overlays/dev of upstream's and overlays/eu of local's
// patch one resource, each in its way. Without an origin nobody knows what was
// added, and a merge comment of local's says what it is.
func (m *matcher) apart(t Triple) []Triple {
	if t.Has(Local) {
		_, told := m.sides[Local][t.At[Local]].mergeComment()
		if !told && m.areApart(t) {
			return []Triple{single(t.ID, Upstream, t.At[Upstream]), single(t.ID, Local, t.At[Local])}
		}
	}
	return []Triple{t}
}

// areApart reports whether both sides have added a resource, in different directories,
// and the two are not mostly alike. Directories say nothing where a side has everything
// in one file, and where local moved the files of the one to the other.
func (m *matcher) areApart(t Triple) bool {
	if t.Has(Origin) || !t.Has(Upstream) || !t.Has(Local) || len(m.sides[Origin]) == 0 || m.Likeness == nil {
		return false
	}
	u, l := m.sides[Upstream][t.At[Upstream]], m.sides[Local][t.At[Local]]
	return u.Naming == ByName && u.Path != "" && l.Path != "" && path.Dir(u.Path) != path.Dir(l.Path) &&
		!m.directories[[2]string{path.Dir(u.Path), path.Dir(l.Path)}] &&
		!isOneFile(m.sides[Upstream]) && !isOneFile(m.sides[Local]) && m.likeness(t, Upstream) <= alike
}

// keepElsewhere splits the pairs of origin and local that would delete what may
// be local's own, if local's says something else than origin's or has another name:
// nothing but their order says which of several local's is, or the two lie at
// different paths. Local may have made it for itself, perhaps beside one that an
// earlier run deleted. Paths say nothing where a side has everything in one file, and
// where another resource shows that local moved the files of origin's directory to its
// own.
func (m *matcher) keepElsewhere(triples []Triple) []Triple {
	m.directories = nil
	for i, t := range triples {
		if !t.Has(Origin) || t.Has(Upstream) || !t.Has(Local) {
			continue
		}
		if m.directories == nil {
			m.directories = m.movedDirectories(triples, nil)
		}
		o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
		elsewhere := o.Path != l.Path && o.Path != "" && l.Path != "" && !m.directories[[2]string{path.Dir(o.Path), path.Dir(l.Path)}] &&
			!isOneFile(m.sides[Origin]) && !isOneFile(m.sides[Local])
		if !elsewhere && !t.byIndex || o.Name == l.Name && m.likeness(t, Origin) == 1 {
			continue
		}
		triples[i] = single(t.ID, Local, t.At[Local])
		triples[i].Elsewhere = elsewhere
		triples = append(triples, single(t.ID, Origin, t.At[Origin]))
	}
	return triples
}

// isOneFile reports whether a side has several resources, all in one file.
func isOneFile(side []Entry) bool {
	return len(side) > 1 && !slices.ContainsFunc(side, func(e Entry) bool { return e.Path != side[0].Path })
}

// movedDirectories are the pairs of a directory of origin's and one of local's between
// which local moved a resource that all sides have. The triples of crowded are not
// resolved yet and do not count.
func (m *matcher) movedDirectories(triples []Triple, crowded map[int]*[3][]int) map[[2]string]bool {
	out := map[[2]string]bool{}
	for i, t := range triples {
		if !t.complete() || crowded[i] != nil {
			continue
		}
		from, to := m.sides[Origin][t.At[Origin]].Path, m.sides[Local][t.At[Local]].Path
		if from != to {
			out[[2]string{path.Dir(from), path.Dir(to)}] = true
		}
	}
	return out
}

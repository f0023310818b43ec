package identity

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// location is the file of an item, and, for an item without a name of its own, its number among the items with its ID
// in that file.
type location struct {
	file    string
	ordinal int
}

// resolve joins the entries of one ID that a side has several times, such as the base, the overlays
// and the patches of a kustomize package (rules/identity: by identity).
//
// Entries at the same path in their sides, or in the directory to which local moved theirs, belong together; if local has
// several there, only the one whose own metadata has the ID. Then, if one incomplete triple with an origin is left and
// each other side has at most one, these join: first within a directory, then where the paths end alike, then within a
// package, then anywhere; and so do the last ones of an ID that origin lacks. No pair of origin and local alone is made in this way, because it would delete a resource that
// may be local's own.
//
// Of the rest, upstream's is added, local's is kept, and origin's was deleted.
func (m *matcher) resolve(id ID, group [3][]int) []Triple {
	triples := m.joinLastLeft(inDirectory, m.joinByLocation(id, group))
	for parts := m.depth(triples); parts > 0; parts-- {
		triples = m.joinLastLeft(endOfPath(parts), triples)
	}
	return m.joinAdded(m.joinLastLeft(anywhere, m.joinLastLeft(inPackage, triples)))
}

// joinAdded joins the last ones of upstream's and of local's of an ID that origin lacks, unless no build joins their files.
// If several are left, and a build joins them, nobody knows which of them upstream's is: it is ambiguous (rules/laws: added once).
func (m *matcher) joinAdded(triples []Triple) []Triple {
	var l leftover
	for i, t := range triples {
		if t.Has(Origin) {
			return triples // a name that occurs several times
		}
		if !t.Has(Upstream) || !t.Has(Local) {
			l.add(i, t)
		}
	}
	gone := map[int]bool{}
	for _, u := range l.upstream {
		for _, i := range l.local {
			switch t := join(triples[u], triples[i]); {
			case m.areApart(t):
			case len(l.upstream) == 1 && len(l.local) == 1:
				triples[u], gone[i] = t, true
			default:
				triples[u].Ambiguous = true
			}
		}
	}
	return removeJoined(triples, gone)
}

// depth returns the largest number of parts of the path of an incomplete triple.
func (m *matcher) depth(triples []Triple) (most int) {
	for _, t := range triples {
		if !t.complete() {
			most = max(most, 1+strings.Count(m.representative(t).Path, "/"))
		}
	}
	return most
}

// joinByLocation joins the entries at one path. Local entries that are not upstream's stay alone.
func (m *matcher) joinByLocation(id ID, group [3][]int) []Triple {
	locations, byOrder := m.locations(group)
	p := &locationIndex{id: id, index: map[location]int{}}
	for _, side := range [2]Side{Origin, Upstream} {
		for n, where := range locations[side] {
			p.at(where).At[side] = group[side][n]
		}
	}
	located := locations[Local]
	chosen := m.soleOwners(located, group[Local])
	var alone []Triple
	for n, i := range group[Local] {
		first, sole := chosen[located[n]]
		if sole && first == i {
			t := p.at(located[n])
			t.At[Local], t.byOrder = i, byOrder[i]
			continue
		}
		alone = append(alone, single(id, Local, i))
		if p.has(located[n]) && !sole {
			p.at(located[n]).Ambiguous = true
		}
	}
	return append(p.triples, alone...)
}

// soleOwners returns the local entry that is upstream's at each location with only one such entry.
func (m *matcher) soleOwners(located []location, local []int) map[location]int {
	crowds := map[location][]int{}
	for n, where := range located {
		crowds[where] = append(crowds[where], local[n])
	}
	chosen := make(map[location]int, len(crowds))
	for where, crowd := range crowds {
		if i, sole := m.soleOwner(crowd); sole {
			chosen[where] = i
		}
	}
	return chosen
}

// locationIndex indexes the triples of one ID by location.
type locationIndex struct {
	id      ID
	index   map[location]int
	triples []Triple
}

func (p *locationIndex) has(where location) bool {
	_, found := p.index[where]
	return found
}

// at returns the triple at a location, and adds it if it is missing.
func (p *locationIndex) at(where location) *Triple {
	n, found := p.index[where]
	if !found {
		n = len(p.triples)
		p.index[where] = n
		p.triples = append(p.triples, Triple{ID: p.id, At: [3]int{-1, -1, -1}})
	}
	return &p.triples[n]
}

// locations returns the locations of the entries of one ID. An entry without a name of its own has the number of the one in its
// file that it is a version of, in origin or upstream, else a number of its own. byOrder has local's entries that nothing but
// their order gave another number than the first.
func (m *matcher) locations(group [3][]int) (out [3][]location, byOrder map[int]bool) {
	known, byOrder := map[string][]EntryIndex{}, map[int]bool{} // known has a version of each number, by file
	for _, side := range Sides() {
		nameless := map[string][]int{}
		for n, i := range group[side] {
			e := m.sides[side][i]
			out[side] = append(out[side], location{file: e.Path})
			if e.Naming != ByName {
				nameless[e.Path] = append(nameless[e.Path], n)
			}
		}
		for file, all := range nameless {
			versions := make([]EntryIndex, len(all))
			for at, n := range all {
				versions[at] = EntryIndex{side, group[side][n]}
			}
			numbers, alike := m.pairNameless(known[file], versions)
			for at, number := range numbers {
				if side == Local && number > 0 && !alike[at] {
					byOrder[versions[at].At] = true
				}
				if number < 0 {
					number, known[file] = len(known[file]), append(known[file], versions[at])
				}
				out[side][all[at]].ordinal = number + 1
			}
		}
	}
	return out, byOrder
}

// pairNameless returns for each entry of a file the index of the known one that it is a version of: the ones that are the most
// alike belong together, if they are by half, and of the others those with one index. It is -1 where there is none. alike tells
// which belong together by their likeness.
func (m *matcher) pairNameless(known, versions []EntryIndex) (out []int, alike []bool) {
	type pair struct {
		i, j     int
		likeness float64
	}
	var pairs []pair
	if m.Likeness != nil && len(known)*len(versions) <= maxNameless {
		for i := range known {
			for j := range versions {
				if likeness := m.Likeness(known[i], versions[j]); likeness > halfLikeness {
					pairs = append(pairs, pair{i, j, likeness})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(max(a.i-a.j, a.j-a.i), max(b.i-b.j, b.j-b.i)))
	})
	for i := range min(len(known), len(versions)) {
		pairs = append(pairs, pair{i: i, j: i})
	}
	taken := make([]bool, len(known))
	out, alike = slices.Repeat([]int{-1}, len(versions)), make([]bool, len(versions))
	for _, p := range pairs {
		if out[p.j] < 0 && !taken[p.i] {
			out[p.j], taken[p.i], alike[p.j] = p.i, true, p.likeness > 0
		}
	}
	return out, alike
}

// maxNameless limits the pairs of entries without a name that are compared for their likeness.
const maxNameless = 10_000

// joinRule is a rule by which triples that lack local join unmatched local items.
type joinRule struct {
	// localID returns the ID of the triple that a local item belongs to, if the item has one.
	localID func(local Triple) (ID, bool)
	// openID returns the ID by which a triple is found; false excludes the triple.
	openID func(open Triple) (ID, bool)
	// matches reports whether the two belong together; nil: all do.
	matches func(open, local Triple) bool
	// otherNamespace marks the joined triples as OtherNamespace.
	otherNamespace bool
}

// joinOpen joins triples that lack local with unmatched local items, at one path first.
func (m *matcher) joinOpen(triples []Triple, rule joinRule) []Triple {
	return m.joinOpenIn(anywhere, m.joinOpenIn(inFile, triples, rule), rule)
}

// joinOpenIn joins a triple that lacks local with an unmatched local item if they are the only ones
// with an ID in an area. It is one pass over each.
func (m *matcher) joinOpenIn(where area, triples []Triple, rule joinRule) []Triple {
	at := map[areaKey]*pairing{}
	all := m.collectLocal(triples, at, where, rule)
	if len(all) == 0 {
		return triples
	}
	m.collectOpen(triples, at, where, rule)
	return joinPairings(triples, all, rule)
}

// collectLocal starts the pairings with the unmatched local items.
func (m *matcher) collectLocal(triples []Triple, at map[areaKey]*pairing, where area, rule joinRule) (all []*pairing) {
	for i, t := range triples {
		if !t.only(Local) {
			continue
		}
		id, ok := rule.localID(t)
		if !ok {
			continue
		}
		key := areaKey{id, where(m.representative(t))}
		if at[key] == nil {
			at[key] = &pairing{}
			all = append(all, at[key])
		}
		at[key].local = append(at[key].local, i)
	}
	return all
}

// collectOpen adds the triples that lack local.
func (m *matcher) collectOpen(triples []Triple, at map[areaKey]*pairing, where area, rule joinRule) {
	for i, t := range triples {
		if t.Has(Local) {
			continue
		}
		if id, ok := rule.openID(t); ok {
			if p := at[areaKey{id, where(m.newest(t))}]; p != nil {
				p.open = append(p.open, i)
			}
		}
	}
}

// pairing holds the triples and the local items of one ID.
type pairing struct{ open, local []int }

func joinPairings(triples []Triple, all []*pairing, rule joinRule) []Triple {
	gone := map[int]bool{}
	for _, p := range all {
		if len(p.open) != 1 || len(p.local) != 1 {
			continue
		}
		open, local := triples[p.open[0]], triples[p.local[0]]
		if rule.matches == nil || rule.matches(open, local) {
			triples[p.open[0]] = join(open, local)
			triples[p.open[0]].OtherNamespace = open.OtherNamespace || rule.otherNamespace
			gone[p.local[0]] = true
		}
	}
	return removeJoined(triples, gone)
}

// splitApart splits a triple of upstream's and local's if both sides added it independently: overlays/dev of upstream's
// and overlays/eu of local's patch one resource, each in its way. Others are one resource, wherever they lie (rules/laws:
// added once). A triple without an origin package or with a merge comment of local's stays together.
func (m *matcher) splitApart(t Triple) []Triple {
	if m.areApart(t) {
		return []Triple{single(t.ID, Upstream, t.At[Upstream]), single(t.ID, Local, t.At[Local])}
	}
	return []Triple{t}
}

// areApart reports whether both sides added a resource, in places that no build joins, and the two are not mostly alike.
// Places are no evidence if upstream has everything in one file, or local what all have, or if local moved the files of one
// to the other.
func (m *matcher) areApart(t Triple) bool {
	if t.Has(Origin) || !t.Has(Upstream) || !t.Has(Local) || len(m.sides[Origin]) == 0 || m.Likeness == nil || m.Apart == nil {
		return false
	}
	u, l := m.sides[Upstream][t.At[Upstream]], m.sides[Local][t.At[Local]]
	_, commented := l.mergeComment()
	return !commented && u.Naming == ByName && u.Path != "" && l.Path != "" && m.Apart(u.Path, l.Path) &&
		!m.directories[[2]string{path.Dir(u.Path), path.Dir(l.Path)}] &&
		!isOneFile(m.sides[Upstream]) && l.Path != m.joined && m.likeness(t, Upstream) <= minLikeness
}

// splitElsewhere splits a pair of origin and local that would delete a resource that may be local's own: the two differ
// or have different names, and either have different paths or were matched by their order only. Local may have made it
// for itself, perhaps beside one that an earlier run deleted. Paths are no evidence if origin has everything in one
// file, or local has all resources of all sides in one, or if another resource shows that local moved the files of the directory.
func (m *matcher) splitElsewhere(triples []Triple) []Triple {
	m.directories = nil
	for i, t := range triples {
		if !t.Has(Origin) || t.Has(Upstream) || !t.Has(Local) {
			continue
		}
		if m.directories == nil {
			m.directories, m.joined = m.movedDirectories(triples, nil), m.joinedFile(triples, nil)
		}
		o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
		elsewhere := o.Path != l.Path && o.Path != "" && l.Path != "" && !m.directories[[2]string{path.Dir(o.Path), path.Dir(l.Path)}] &&
			!isOneFile(m.sides[Origin]) && l.Path != m.joined
		if !elsewhere && !t.byOrder || o.Name == l.Name && m.likeness(t, Origin) == 1 {
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

// joinedFile returns the file of local's in which all resources lie that all sides have and that have a name, "" if there
// is none, or if none of them lies elsewhere in origin and upstream. Triples of crowded are not resolved yet and do not
// count.
func (m *matcher) joinedFile(triples []Triple, crowded map[int]*[3][]int) (file string) {
	joined := false
	for i, t := range triples {
		if !t.complete() || crowded[i] != nil || m.sides[Local][t.At[Local]].Naming == ByPath {
			continue
		}
		is := m.sides[Local][t.At[Local]].Path
		if file = cmp.Or(file, is); is != file {
			return ""
		}
		joined = joined || is != m.sides[Origin][t.At[Origin]].Path && is != m.sides[Upstream][t.At[Upstream]].Path
	}
	if !joined {
		return ""
	}
	return file
}

// movedDirectories returns the pairs of a directory of origin's and one of local's between which local moved a resource
// that all sides have. One that lies where upstream has it may have moved in an earlier merge. Triples of crowded are not
// resolved yet and do not count.
func (m *matcher) movedDirectories(triples []Triple, crowded map[int]*[3][]int) map[[2]string]bool {
	out := map[[2]string]bool{}
	for i, t := range triples {
		if !t.complete() || crowded[i] != nil {
			continue
		}
		from, to := m.sides[Origin][t.At[Origin]].Path, m.sides[Local][t.At[Local]].Path
		if from != to && to != m.sides[Upstream][t.At[Upstream]].Path {
			out[[2]string{path.Dir(from), path.Dir(to)}] = true
		}
	}
	return out
}

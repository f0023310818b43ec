package identity

import (
	"path"
	"slices"
)

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

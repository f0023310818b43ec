package identity

import "path"

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
// and the two are not mostly alike.
func (m *matcher) areApart(t Triple) bool {
	if t.Has(Origin) || !t.Has(Upstream) || !t.Has(Local) || len(m.sides[Origin]) == 0 || m.Likeness == nil {
		return false
	}
	u, l := m.sides[Upstream][t.At[Upstream]], m.sides[Local][t.At[Local]]
	return u.Naming == ByName && u.Path != "" && l.Path != "" && path.Dir(u.Path) != path.Dir(l.Path) &&
		m.likeness(t, Upstream) <= alike
}

// keepElsewhere splits the pairs of origin and local that would delete what may
// be local's own: the two lie at different paths, or nothing but their order
// says which of several local's is, and local's says something else than
// origin's or has another name. Local may have moved and changed it, or made it
// for itself; what a merge deletes it has to know.
func (m *matcher) keepElsewhere(triples []Triple) []Triple {
	for i, t := range triples {
		if !t.Has(Origin) || t.Has(Upstream) || !t.Has(Local) {
			continue
		}
		o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
		elsewhere := o.Path != l.Path && o.Path != "" && l.Path != ""
		if !elsewhere && !t.byIndex || o.Name == l.Name && m.likeness(t, Origin) == 1 {
			continue
		}
		triples[i] = single(t.ID, Local, t.At[Local])
		triples[i].Elsewhere = elsewhere
		triples = append(triples, single(t.ID, Origin, t.At[Origin]))
	}
	return triples
}

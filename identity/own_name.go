package identity

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

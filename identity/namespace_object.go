package identity

// joinNamespaces is design 2, step 4, for the Namespace objects themselves: where
// local was found to have replaced one namespace by another, and that one by no
// third, the Namespace of the first name and local's of the second are one. Local
// may have put several into one: then those in the same file belong together.
func (m *matcher) joinNamespaces(triples []Triple) []Triple {
	now := m.replacedNamespaces(triples)
	if len(now) == 0 {
		return triples
	}
	return m.meet(triples, meeting{
		wanted: func(local Triple) (ID, bool) {
			_, commented := m.sides[Local][local.At[Local]].mergeComment()
			return local.ID, isNamespace(local.ID) && !commented
		},
		is: func(t Triple) (ID, bool) {
			name, replaced := now[t.ID.Name]
			return ID{Kind: "Namespace", Name: name}, isNamespace(t.ID) && replaced && t.Has(Origin)
		},
	})
}

// replacedNamespaces says which namespace local put in the place of which, where
// that is a single one.
func (m *matcher) replacedNamespaces(triples []Triple) map[string]string {
	now, several := map[string]string{}, map[string]bool{}
	for _, move := range m.moves(triples) {
		_, twice := now[move.From]
		several[move.From] = several[move.From] || twice
		now[move.From] = move.To
	}
	for namespace := range several {
		if several[namespace] {
			delete(now, namespace)
		}
	}
	return now
}

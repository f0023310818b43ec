package identity

// joinNamespaces is design 2, step 4, for the Namespace objects themselves: where
// local was found to have replaced one namespace by another, and nothing else
// replaced or was replaced by either, origin's Namespace of the first name and
// local's of the second are one.
func (m *matcher) joinNamespaces(triples []Triple) []Triple {
	was := m.replacedNamespaces(triples)
	if len(was) == 0 {
		return triples
	}
	return m.meet(triples, meeting{
		wanted: func(local Triple) (ID, bool) {
			_, commented := m.sides[Local][local.At[Local]].mergeComment()
			former, replaced := was[local.ID.Name]
			return ID{Kind: "Namespace", Name: former}, isNamespace(local.ID) && replaced && !commented
		},
		is: func(t Triple) (ID, bool) { return t.ID, isNamespace(t.ID) && t.Has(Origin) },
	})
}

func isNamespace(id ID) bool { return id.Group == "" && id.Kind == "Namespace" }

// replacedNamespaces finds, by local's namespace, the one that local put it in
// the place of, where that is one to one.
func (m *matcher) replacedNamespaces(triples []Triple) map[string]string {
	was, is := map[string]string{}, map[string]string{}
	ambiguous := map[string]bool{}
	for _, t := range triples {
		if !t.OtherNamespace {
			continue
		}
		former, now := t.ID.Namespace, m.sides[Local][t.At[Local]].Namespace
		if w, found := was[now]; found && w != former {
			ambiguous[now] = true
		}
		if i, found := is[former]; found && i != now {
			ambiguous[now], ambiguous[i] = true, true
		}
		was[now], is[former] = former, now
	}
	for now := range ambiguous {
		delete(was, now)
	}
	return was
}

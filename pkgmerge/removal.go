package pkgmerge

import "github.com/resource-merge/resource-merge/identity"

// doubtRemovals finds the resources of origin's and upstream's that local seems to have
// removed and may have nevertheless. Local did not remove them on purpose, for all that is
// known: what upstream changed in them is a conflict (design 3.8).
func (m *merger) doubtRemovals(matches []*Match) {
	inhabited, strays := m.ownOf(matches)
	for _, match := range matches {
		if match.Has(identity.Local) {
			continue
		}
		stray := strays[withoutNamespace(match.Newest())]
		match.removalsCollide = match.removalsCollide || match.how.Ambiguous || stray && !inhabited[match.Newest().Meta.Namespace]
	}
}

// ownOf are the namespaces that local has something in, and what local alone has, by
// kind and name: where local has nothing left in a namespace, such a resource may be
// one that local moved away from there.
func (m *merger) ownOf(matches []*Match) (inhabited map[string]bool, strays map[identity.ID]bool) {
	inhabited, strays = map[string]bool{}, map[identity.ID]bool{}
	for _, match := range matches {
		if l := match.Versions[identity.Local]; l != nil {
			inhabited[l.Meta.Namespace] = true
			if match.onlyLocal() && l.Meta.Naming == identity.ByName {
				strays[withoutNamespace(l)] = true
			}
		}
	}
	return inhabited, strays
}

// withoutNamespace is a resource's own identity without its namespace.
func withoutNamespace(r *Resource) identity.ID {
	id := r.ID()
	id.Namespace = ""
	return id
}

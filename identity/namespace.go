package identity

// joinAcrossNamespaces is DESIGN 2, step 4: a triple that lacks local joins a
// local item that is left over, of the same group, kind and name in another
// namespace, one of each, if the two lie in the same file or are mostly alike.
// Somebody replaced the namespace and left no comment: one that has a merge
// comment does not join so. What upstream alone has joins only if nothing else
// on the two sides has that name, for local may well have added it beside.
func (m *matcher) joinAcrossNamespaces(triples []Triple) []Triple {
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			e := m.sides[Local][t.At[Local]]
			_, commented := e.mergeComment()
			return anyNamespace(t.ID), !commented && e.Naming != ByPath
		},
		is:   func(t Triple) (ID, bool) { return anyNamespace(t.ID), true },
		fits: m.fitsAcross(),
		mark: func(t *Triple) { t.OtherNamespace = true },
	})
}

// fitsAcross reports of a triple and a local item of one name whether they are
// one that was moved to another namespace.
func (m *matcher) fitsAcross() func(open, local Triple) bool {
	var others map[ID]int // that upstream and local have of a name
	return func(open, local Triple) bool {
		if open.ID.Namespace == local.ID.Namespace {
			return false
		}
		if !open.Has(Origin) {
			if others == nil {
				others = m.countNames()
			}
			if others[anyNamespace(open.ID)] > 2 {
				return false
			}
		}
		return m.sameFile(open, local) || m.mostlyAlike(open, local)
	}
}

// countNames counts the entries of upstream and local by ID without namespace.
func (m *matcher) countNames() map[ID]int {
	counts := map[ID]int{}
	for _, side := range [2]Side{Upstream, Local} {
		for _, id := range m.ids[side] {
			counts[anyNamespace(id)]++
		}
	}
	return counts
}

// sameFile reports whether local's item lies in the file that another side has
// the resource in.
func (m *matcher) sameFile(open, local Triple) bool {
	file := m.sides[Local][local.At[Local]].Path
	for _, side := range [2]Side{Origin, Upstream} {
		if open.Has(side) && m.sides[side][open.At[side]].Path == file {
			return true
		}
	}
	return false
}

// mostlyAlike compares local's item with origin's version, else upstream's.
func (m *matcher) mostlyAlike(open, local Triple) bool {
	side := Upstream
	if open.Has(Origin) {
		side = Origin
	}
	return m.likeness(join(open, local), side) > alike
}

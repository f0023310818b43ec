package identity

// joinAcrossNamespaces is design 2, step 4: a triple that lacks local joins a
// local item that is left over, of the same group, kind and name in another
// namespace, one of each, if the two lie in the same file or are mostly alike.
// Somebody replaced the namespace and left no comment: one that has a merge
// comment does not join so.
//
// What origin has is not mixed up with what upstream adds, for that is there in
// the next run. What upstream adds joins only if nothing else of any side has the
// name: local may well have made its own, and what its merge comment says then
// would not tell it from the others. What upstream deleted joins only if local has
// nothing left in the namespace: else nobody replaced that, and local's is a copy,
// perhaps of what an earlier run deleted.
func (m *matcher) joinAcrossNamespaces(triples []Triple) []Triple {
	for _, where := range []area{inFile, anywhere} {
		for _, added := range []bool{false, true} {
			triples = m.meetIn(where, triples, meeting{
				wanted: m.wantedAcross,
				is:     func(t Triple) (ID, bool) { return anyNamespace(t.ID), t.Has(Origin) != added },
				fits:   m.fitsAcross(where, added),
				mark:   func(t *Triple) { t.OtherNamespace = true },
			})
		}
	}
	return triples
}

func (m *matcher) wantedAcross(local Triple) (ID, bool) {
	e := m.sides[Local][local.At[Local]]
	_, commented := e.mergeComment()
	return anyNamespace(local.ID), !commented && e.Naming != ByPath
}

// fitsAcross reports of a triple and a local item of one name whether they are
// one that was moved to another namespace.
func (m *matcher) fitsAcross(where area, added bool) func(open, local Triple) bool {
	var counts map[idAt]int
	var inhabited map[string]bool
	return func(open, local Triple) bool {
		if open.ID.Namespace == local.ID.Namespace || !m.sameFile(open, local) && !m.mostlyAlike(open, local) {
			return false
		}
		if !open.Has(Upstream) {
			if inhabited == nil {
				inhabited = m.inhabited()
			}
			return !inhabited[open.ID.Namespace]
		}
		if !added {
			return true
		}
		if counts == nil {
			counts = m.countNames(where)
		}
		return counts[idAt{anyNamespace(open.ID), where(m.newest(open))}] == 2
	}
}

// inhabited are the namespaces that local has something in.
func (m *matcher) inhabited() map[string]bool {
	out := map[string]bool{}
	for _, e := range m.sides[Local] {
		if e.Namespace != "" {
			out[e.Namespace] = true
		}
	}
	return out
}

// countNames counts the entries of all sides by ID without namespace.
func (m *matcher) countNames(where area) map[idAt]int {
	counts := map[idAt]int{}
	for _, side := range Sides() {
		for i, id := range m.ids[side] {
			counts[idAt{anyNamespace(id), where(m.sides[side][i])}]++
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

package identity

// joinAcrossNamespaces is design 2, step 4: a triple that lacks local joins a
// local item that is left over, of the same group, kind and name in another
// namespace. Somebody replaced the namespace and left no comment: an item with a
// merge comment does not join so.
//
// A resource of origin's joins if the pair is evident by itself. Such pairs, and
// those that merge comments make, are the evidence of which namespace replaced
// which; by that evidence other pairs join.
func (m *matcher) joinAcrossNamespaces(triples []Triple) []Triple {
	triples = m.meet(triples, meeting{
		wanted: func(local Triple) (ID, bool) { return anyNamespace(local.ID), m.mayHaveMoved(local) },
		is:     func(t Triple) (ID, bool) { return anyNamespace(t.ID), t.Has(Origin) },
		fits:   m.evidentlyMoved(),
		mark:   markMoved,
	})
	now := map[string]Move{}
	for _, move := range m.moves(triples) {
		if move.isMostly() || move.IsWhole() {
			now[move.From] = move
		}
	}
	return m.meet(triples, meeting{
		wanted: func(local Triple) (ID, bool) { return local.ID, m.mayHaveMoved(local) && len(now) > 0 },
		is: func(t Triple) (ID, bool) {
			move, replaced := now[t.ID.Namespace]
			id := t.ID
			id.Namespace = move.To
			return id, replaced && (move.IsWhole() || t.Has(Origin) && t.Has(Upstream))
		},
		fits: m.followsMove(),
		mark: markMoved,
	})
}

func markMoved(t *Triple) { t.OtherNamespace = true }

func (m *matcher) mayHaveMoved(local Triple) bool {
	e := m.sides[Local][local.At[Local]]
	_, commented := e.mergeComment()
	return !commented && e.Naming != ByPath
}

// evidentlyMoved reports of a resource of origin's and a local item of one name
// whether they are one that was moved to another namespace. They are if they are
// mostly alike and have something to be alike in, or if they lie in one file and
// local has nothing left in the namespace. What upstream deleted has moved only if
// local has nothing left there: else local's may be a copy, perhaps of what an
// earlier run deleted.
func (m *matcher) evidentlyMoved() func(open, local Triple) bool {
	inhabited := m.inhabited()
	return func(open, local Triple) bool {
		left := open.ID.Namespace
		switch {
		case left == local.ID.Namespace:
			return false
		case !inhabited[left] && m.sameFile(open, local):
			return true
		}
		return (open.Has(Upstream) || !inhabited[left]) && m.content(Origin, open.At[Origin]) > 0 && m.mostlyAlike(open, local)
	}
}

// followsMove reports whether a triple and a local item are one, though they are in
// two namespaces, when one namespace replaced the other: a resource of origin's if
// they lie in one file or are mostly alike, and one that both sides added as if both
// had added it in one namespace, where nothing else is called so.
func (m *matcher) followsMove() func(open, local Triple) bool {
	var counts map[ID]int
	return func(open, local Triple) bool {
		if open.Has(Origin) {
			return m.sameFile(open, local) || m.mostlyAlike(open, local)
		}
		if counts == nil {
			counts = m.countIDs()
		}
		return counts[open.ID] == 1 && counts[local.ID] == 1 && !m.areApart(join(open, local))
	}
}

// countIDs counts the entries of all sides by ID.
func (m *matcher) countIDs() map[ID]int {
	counts := map[ID]int{}
	for _, ids := range m.ids {
		for _, id := range ids {
			counts[id]++
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

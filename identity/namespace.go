package identity

import "slices"

// joinAcrossNamespaces follows rules/identity: replaced namespaces: a triple that lacks
// local joins a local item that is left over, of the same group, kind and name in
// another namespace. Somebody replaced the namespace and left no comment: an item with
// a merge comment does not join so.
//
// A resource of origin's joins if the pair is evident by itself. Such pairs, and
// those that merge comments make, are the evidence of which namespace replaced
// which; by that evidence, and what Options.Moves adds to it, other pairs join.
func (m *matcher) joinAcrossNamespaces(triples []Triple) []Triple {
	triples = m.meet(triples, meeting{
		wanted: func(local Triple) (ID, bool) { return anyNamespace(local.ID), m.mayHaveMoved(local) },
		is:     func(t Triple) (ID, bool) { return anyNamespace(t.ID), t.Has(Origin) },
		fits:   m.evidentlyMoved(),
		mark:   markMoved,
	})
	now := map[string]Move{}
	for _, move := range slices.Concat(m.Moves, m.moves(triples)) {
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
		fits: m.followsMove(now),
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
// the move is certain, or if they lie in one file or are mostly alike, and one that
// both sides added as if both had added it in one namespace, where nothing else is
// called so.
func (m *matcher) followsMove(now map[string]Move) func(open, local Triple) bool {
	var counts map[ID]int
	return func(open, local Triple) bool {
		if open.Has(Origin) {
			return now[open.ID.Namespace].isCertain() || m.sameFile(open, local) || m.mostlyAlike(open, local)
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

// moves finds which namespaces local replaced, in the order of the triples.
func (m *matcher) moves(triples []Triple) []Move {
	var out []Move
	index := map[[2]string]int{}
	at := func(from, to string) *Move {
		n, found := index[[2]string{from, to}]
		if !found {
			n = len(out)
			index[[2]string{from, to}] = n
			out = append(out, Move{From: from, To: to})
		}
		return &out[n]
	}
	shared, moved := map[string]int{}, map[string]bool{}
	for _, t := range triples {
		from, to, is := m.moved(t)
		if is && isNamespace(t.ID) {
			at(from, to).Object = true
		} else if is {
			at(from, to).Moved++
			moved[t.ID.Kind] = true
		}
	}
	for _, t := range triples {
		if from, _, is := m.moved(t); !isNamespace(t.ID) && (is || m.stayed(t, moved)) {
			shared[from]++
		}
	}
	inhabited := m.inhabited()
	for n := range out {
		out[n].Others = shared[out[n].From] - out[n].Moved
		out[n].Inhabited = inhabited[out[n].From]
	}
	return out
}

// moved says from which namespace to which local moved a resource of origin's, or
// renamed a Namespace object.
func (m *matcher) moved(t Triple) (from, to string, is bool) {
	if !t.Has(Origin) || !t.Has(Local) {
		return "", "", false
	}
	o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
	if isNamespace(t.ID) {
		return t.ID.Name, l.Name, t.ID.Name != l.Name
	}
	if o.ClusterScoped || l.ClusterScoped || l.Naming == ByPath {
		return t.ID.Namespace, "", false
	}
	return t.ID.Namespace, l.Namespace, t.ID.Namespace != l.Namespace
}

// stayed reports whether a resource of origin's is in the same namespace in local's
// version. Of what names none that is known only of kinds of which local has put
// another into a namespace.
func (m *matcher) stayed(t Triple, moved map[string]bool) bool {
	return t.Has(Origin) && t.Has(Local) && t.ID.Namespace == m.sides[Local][t.At[Local]].Own().Namespace &&
		(t.ID.Namespace != "" || moved[t.ID.Kind])
}

// inhabited are the namespaces that local has something in.
func (m *matcher) inhabited() map[string]bool {
	out := map[string]bool{}
	for _, e := range m.sides[Local] {
		if namespace := e.Own().Namespace; namespace != "" {
			out[namespace] = true
		}
	}
	return out
}

func isNamespace(id ID) bool { return id.Group == "" && id.Kind == "Namespace" }

// joinNamespaces follows rules/identity: replaced namespaces, for the Namespace objects
// themselves: where local was found to have replaced one namespace by another, and that
// one by no third, the Namespace of the first name and local's of the second are one.
// Local may have put several into one: then those in the same file belong together.
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

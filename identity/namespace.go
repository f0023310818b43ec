package identity

import (
	"maps"
	"slices"
)

// joinAcrossNamespaces follows rules/identity: replaced namespaces: a triple that lacks local joins an unmatched local
// item of the same group, kind and name in another namespace. An item with a merge comment does not join so.
//
// A resource of origin's joins if the pair is evident by itself. Such pairs, pairs by merge comments and Options.Moves
// are the evidence for replaced namespaces; by that evidence other pairs join.
func (m *matcher) joinAcrossNamespaces(triples []Triple) []Triple {
	triples = m.joinOpen(triples, joinRule{
		localID:        func(local Triple) (ID, bool) { return withoutNamespace(local.ID), m.mayHaveMoved(local) },
		openID:         func(t Triple) (ID, bool) { return withoutNamespace(t.ID), t.Has(Origin) },
		matches:        m.evidentlyMoved(),
		otherNamespace: true,
	})
	replacements := map[string]Move{}
	for _, move := range slices.Concat(m.Moves, m.moves(triples)) {
		if move.isMajority() || move.isWhole() {
			replacements[move.From] = move
		}
	}
	return m.joinOpen(triples, joinRule{
		localID: func(local Triple) (ID, bool) { return local.ID, m.mayHaveMoved(local) && len(replacements) > 0 },
		openID: func(t Triple) (ID, bool) {
			move, replaced := replacements[t.ID.Namespace]
			id := t.ID
			id.Namespace = move.To
			return id, replaced && (move.isWhole() || t.Has(Origin) && t.Has(Upstream))
		},
		matches:        m.followsMove(replacements),
		otherNamespace: true,
	})
}

func (m *matcher) mayHaveMoved(local Triple) bool {
	e := m.sides[Local][local.At[Local]]
	_, commented := e.mergeComment()
	return !commented && e.Naming != ByPath
}

// evidentlyMoved returns a function that reports whether a resource of origin's and a local item of the same name are
// one resource in another namespace. They are if they have content and are mostly alike, or if they are in one file and
// local has nothing in the old namespace. A resource that upstream deleted has moved only if local has nothing in the
// old namespace: else local's may be a copy, perhaps of a resource that an earlier run deleted.
func (m *matcher) evidentlyMoved() func(open, local Triple) bool {
	inUse := m.namespacesOf(Local)
	return func(open, local Triple) bool {
		from := open.ID.Namespace
		switch {
		case from == local.ID.Namespace:
			return false
		case !inUse[from] && m.sameFile(open, local):
			return true
		}
		return (open.Has(Upstream) || !inUse[from]) && m.content(Origin, open.At[Origin]) > 0 && m.mostlyAlike(open, local)
	}
}

// followsMove returns a function that reports whether a triple and a local item are one resource, given that one
// namespace replaced the other. A resource of origin's is if the move is certain, or if both are in one file or mostly
// alike. A resource that both sides added is as if both had added it in one namespace, if nothing else has its ID.
func (m *matcher) followsMove(replacements map[string]Move) func(open, local Triple) bool {
	var counts map[ID]int
	return func(open, local Triple) bool {
		if open.Has(Origin) {
			return replacements[open.ID.Namespace].isCertain() || m.sameFile(open, local) || m.mostlyAlike(open, local)
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

// sameFile reports whether local's item is in the same file as the resource in another side.
func (m *matcher) sameFile(open, local Triple) bool {
	file := m.sides[Local][local.At[Local]].Path
	for _, side := range [2]Side{Origin, Upstream} {
		if open.Has(side) && m.sides[side][open.At[side]].Path == file {
			return true
		}
	}
	return false
}

// mostlyAlike compares local's item with origin's version, else with upstream's.
func (m *matcher) mostlyAlike(open, local Triple) bool {
	side := Upstream
	if open.Has(Origin) {
		side = Origin
	}
	return m.likeness(join(open, local), side) > minLikeness
}

// moves returns the namespaces that local replaced, in the order of the triples.
func (m *matcher) moves(triples []Triple) []Move {
	out, moved := m.movedResources(triples)
	shared := map[string]int{}
	for _, t := range triples {
		if from, _, is := m.namespaceMove(t); !isNamespace(t.ID) && (is || m.keepsNamespace(t, moved)) {
			shared[from]++
		}
	}
	inUse := m.namespacesOf(Local)
	for n := range out {
		out[n].Others = shared[out[n].From] - out[n].Moved
		out[n].inhabited = inUse[out[n].From]
	}
	return out
}

// movedResources counts the resources that local moved from one namespace to another, and returns their kinds.
func (m *matcher) movedResources(triples []Triple) (out []Move, kinds map[string]bool) {
	kinds = map[string]bool{}
	index := map[[2]string]int{}
	for _, t := range triples {
		from, to, is := m.namespaceMove(t)
		if !is {
			continue
		}
		n, found := index[[2]string{from, to}]
		if !found {
			n = len(out)
			index[[2]string{from, to}] = n
			out = append(out, Move{From: from, To: to})
		}
		if isNamespace(t.ID) {
			out[n].object = true
		} else {
			out[n].Moved++
			kinds[t.ID.Kind] = true
		}
	}
	return out, kinds
}

// namespaceMove returns the namespaces between which local moved a resource of origin's, or the
// names of a Namespace object that local renamed.
func (m *matcher) namespaceMove(t Triple) (from, to string, is bool) {
	if !t.Has(Origin) || !t.Has(Local) {
		return "", "", false
	}
	o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
	if isNamespace(t.ID) {
		return t.ID.Name, l.Name, t.ID.Name != l.Name && !(t.MovedUpstream && o.Name == l.Name)
	}
	if o.ClusterScoped || l.ClusterScoped || l.Naming == ByPath {
		return t.ID.Namespace, "", false
	}
	return t.ID.Namespace, l.Namespace, t.ID.Namespace != l.Namespace && !m.staysWhereItWas(t)
}

// staysWhereItWas reports whether local has a resource in origin's namespace that upstream moved to another.
func (m *matcher) staysWhereItWas(t Triple) bool {
	return t.MovedUpstream && t.Has(Local) && m.sides[Origin][t.At[Origin]].OwnID().Namespace == m.sides[Local][t.At[Local]].OwnID().Namespace
}

// keepsNamespace reports whether a resource of origin's is in the same namespace in local's version. A resource without
// a namespace counts only if local has put another of its kind into one.
func (m *matcher) keepsNamespace(t Triple, moved map[string]bool) bool {
	return t.Has(Origin) && t.Has(Local) && (t.ID.Namespace == m.sides[Local][t.At[Local]].OwnID().Namespace || m.staysWhereItWas(t)) &&
		(t.ID.Namespace != "" || moved[t.ID.Kind])
}

func (m *matcher) namespacesOf(side Side) map[string]bool {
	out := map[string]bool{}
	for _, e := range m.sides[side] {
		if namespace := e.OwnID().Namespace; namespace != "" {
			out[namespace] = true
		}
	}
	return out
}

func isNamespace(id ID) bool { return id.Group == "" && id.Kind == "Namespace" }

// joinNamespaces follows rules/identity: replaced namespaces, for the Namespace objects themselves: if local replaced
// one namespace by one other, the Namespace objects of both names are one. If local put several namespaces into one,
// the objects in the same file join.
func (m *matcher) joinNamespaces(triples []Triple) []Triple {
	replacements := m.replacedNamespaces(triples)
	if len(replacements) == 0 {
		return triples
	}
	return m.joinOpen(triples, joinRule{
		localID: func(local Triple) (ID, bool) {
			_, commented := m.sides[Local][local.At[Local]].mergeComment()
			return local.ID, isNamespace(local.ID) && !commented
		},
		openID: func(t Triple) (ID, bool) {
			name, replaced := replacements[t.ID.Name]
			return ID{Kind: "Namespace", Name: name}, isNamespace(t.ID) && replaced && t.Has(Origin)
		},
	})
}

// replacedNamespaces maps each namespace that local replaced by a single one to the new one.
func (m *matcher) replacedNamespaces(triples []Triple) map[string]string {
	replacements, several := map[string]string{}, map[string]bool{}
	for _, move := range m.moves(triples) {
		_, found := replacements[move.From]
		several[move.From] = several[move.From] || found
		replacements[move.From] = move.To
	}
	maps.DeleteFunc(replacements, func(from, _ string) bool { return several[from] })
	return replacements
}

// upstreamMoves finds the resources that upstream moved to another namespace (rules/identity: upstream's namespaces).
type upstreamMoves struct {
	*matcher
	triples []Triple
	// pairs are the triples of origin's and upstream's version of one name.
	pairs []movedPair
	gone  map[int]bool
}

// movedPair has the indices of a triple that lacks upstream and of one that lacks origin. Either namespace
// may be "", for resources without one.
type movedPair struct {
	was, is  int
	from, to string
}

// joinMovedUpstream joins the triple of a resource that upstream lacks with one that only upstream added,
// under the same group, kind and name in another namespace. The joined triple has upstream's identity.
//
// A pair joins if its two versions are mostly alike. If upstream has nothing left in the old namespace, a
// pair joins too if both versions are in one file, or if the other pairs of the two namespaces have one
// that is alike. If upstream has a resource of that name in any other namespace, nothing joins.
func (m *matcher) joinMovedUpstream(triples []Triple) []Triple {
	if !m.Renamed || m.Likeness == nil {
		return triples
	}
	u := &upstreamMoves{matcher: m, triples: triples, gone: map[int]bool{}}
	if u.findPairs(); len(u.pairs) == 0 {
		return triples
	}
	inUse := m.namespacesOf(Upstream)
	evident := map[[2]string]bool{}
	for _, p := range u.pairs {
		evident[[2]string{p.from, p.to}] = evident[[2]string{p.from, p.to}] || u.isAlike(p)
	}
	joined := map[[2]string]bool{}
	for _, p := range u.pairs {
		namespaces := [2]string{p.from, p.to}
		if u.isAlike(p) || !inUse[p.from] && (evident[namespaces] || u.inOneFile(p)) {
			u.join(p)
			joined[namespaces] = true
		}
	}
	u.joinObjects(joined)
	return removeJoined(u.triples, u.gone)
}

// findPairs finds pairs of triples of one group, kind and name, where one triple lacks upstream and the other one
// origin, if origin and upstream have that name nowhere else.
func (u *upstreamMoves) findPairs() {
	named := u.incompleteByName()
	for i, t := range u.triples {
		two := named[withoutNamespace(t.ID)]
		if len(two) != 2 || two[0] != i {
			continue
		}
		p := movedPair{was: two[0], is: two[1]}
		if !t.Has(Origin) {
			p.was, p.is = p.is, p.was
		}
		was, is := u.triples[p.was], u.triples[p.is]
		p.from, p.to = was.ID.Namespace, is.ID.Namespace
		if was.Has(Origin) && is.Has(Upstream) && p.from != p.to && disjoint(was, is) {
			u.pairs = append(u.pairs, p)
		}
	}
}

// incompleteByName returns the triples with one of origin and upstream, by their names, without the names
// of triples that have both.
func (u *upstreamMoves) incompleteByName() map[ID][]int {
	named := map[ID][]int{}
	for i, t := range u.triples {
		if t.Has(Origin) != t.Has(Upstream) && u.representative(t).Naming == ByName {
			named[withoutNamespace(t.ID)] = append(named[withoutNamespace(t.ID)], i)
		}
	}
	for _, t := range u.triples {
		if t.Has(Origin) && t.Has(Upstream) {
			delete(named, withoutNamespace(t.ID))
		}
	}
	return named
}

// isAlike reports whether origin's and upstream's version of a pair have content and are mostly alike.
func (u *upstreamMoves) isAlike(p movedPair) bool {
	origin, upstream := u.triples[p.was].At[Origin], u.triples[p.is].At[Upstream]
	return u.content(Origin, origin) > 0 && u.Likeness(EntryIndex{Origin, origin}, EntryIndex{Upstream, upstream}) > minLikeness
}

// inOneFile reports whether both versions of a pair are at one path.
func (u *upstreamMoves) inOneFile(p movedPair) bool {
	return u.sides[Origin][u.triples[p.was].At[Origin]].Path == u.sides[Upstream][u.triples[p.is].At[Upstream]].Path
}

// join joins a pair under upstream's identity.
func (u *upstreamMoves) join(p movedPair) {
	u.triples[p.is] = join(u.triples[p.is], u.triples[p.was])
	u.triples[p.is].MovedUpstream = true
	u.gone[p.was] = true
}

// joinObjects joins the Namespace objects of the namespaces between which resources moved, if upstream
// lacks the old object, origin lacks the new one, and upstream moved nothing from or to a third namespace.
func (u *upstreamMoves) joinObjects(moves map[[2]string]bool) {
	objects, moved := map[string]int{}, map[string]int{}
	for move := range moves {
		moved[move[0]]++
		moved[move[1]]++
	}
	for i, t := range u.triples {
		if isNamespace(t.ID) && !u.gone[i] {
			objects[t.ID.Name] = i
		}
	}
	for move := range moves {
		was, hasOld := objects[move[0]]
		is, hasNew := objects[move[1]]
		if !hasOld || !hasNew || moved[move[0]] != 1 || moved[move[1]] != 1 {
			continue
		}
		if o, n := u.triples[was], u.triples[is]; o.Has(Origin) && !o.Has(Upstream) && n.Has(Upstream) && !n.Has(Origin) && disjoint(o, n) {
			u.join(movedPair{was: was, is: is})
		}
	}
}

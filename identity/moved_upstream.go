package identity

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

// findPairs finds the triples of one group, kind and name of which one lacks upstream and the other lacks
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

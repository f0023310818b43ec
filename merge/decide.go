package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// decide decides an element and all below it: first its children, and then itself by the rule for its form. It
// is pure, and reads nothing but the element. No rule alters the decisions about the children of a child in place: another
// policy may share them.
func decide(e *element, policy Policy) decision {
	if d, found := markOrphan(e, policy); found {
		return d
	}
	return marked(e, decideForm(e, policy), policy)
}

func decideForm(e *element, policy Policy) decision {
	switch e.form {
	case mapping:
		return decideMap(e, decideFields(e, policy), policy)
	case associative:
		if d, done := decideUnkeyed(e, policy); done {
			return d
		}
		return decideList(e, decideElements(e, policy), policy)
	case atomic:
		return e.withLostComments(decideAtomic(e, policy), policy)
	}
	return decision{verdict: undecided}
}

// decideFields decides the entries of a map. If a side removed the map, they are decided under the policy
// upstream. A union struct is added and deleted as one, like a resource (rules/unions: switches).
func decideFields(e *element, policy Policy) []decision {
	if e.effective(upstream) == nil || e.effective(local) == nil {
		policy = Prefer(PreferUpstream)
	}
	ofVersions := policy
	if e.hasDispute(policy) {
		ofVersions = policy.withoutNewest()
	}
	return e.decideChildren(func(c *element) decision {
		switch {
		case c.foreign:
			return marked(c, c.dropFor(c.migration.by), policy)
		case c.form == atomic:
			return decide(c, ofVersions)
		case isUnion(c.typ) && c.form == mapping:
			return decideIdentified(c, policy)
		}
		return decide(c, policy)
	})
}

// decideChildren decides the children of an element. Those that asked no policy are not decided again under another one.
func (e *element) decideChildren(decide func(*element) decision) []decision {
	children := make([]decision, len(e.children))
	var asking []int
	for i, c := range e.children {
		if e.known != nil && e.known[i].verdict != undecided {
			children[i] = e.known[i]
			continue
		}
		before := *e.rules.asks
		if children[i] = decide(c); *e.rules.asks != before {
			asking = append(asking, i)
		}
	}
	if e.known == nil && len(asking) > 0 {
		e.known = slices.Clone(children)
		for _, i := range asking {
			e.known[i] = decision{}
		}
	}
	return children
}

// decideElements decides the elements of an associative list. Of the elements without a key it keeps those of the side that
// changed them, else local's.
func decideElements(e *element, policy Policy) []decision {
	unkeyed := e.unkeyedSide()
	return e.decideChildren(func(c *element) decision {
		if d, found := markOrphan(c, policy); found {
			return d
		} else if c.unkeyed {
			return c.take(unkeyed)
		}
		return decideIdentified(c, policy)
	})
}

// decideIdentified decides a resource (rules/resources: additions and deletions), an element of an associative list
// (rules/lists: keyed lists) or a union struct (rules/unions: switches), which are added and deleted as one:
//
//	origin  upstream  local  result
//	-       -         L      local's, unchanged
//	-       U         -      upstream's, added
//	O       -         = O    deleted
//	O       -         ≠ O    conflict upstream-deleted; deleted, under policy local kept
//	O       U         -      stays deleted; if upstream changed it, a remark of a resource,
//	                         else conflict local-deleted
//	-       U         L      merged, origin absent
//	O       U         L      merged
func decideIdentified(e *element, policy Policy) decision {
	u, l := e.effective(upstream), e.effective(local)
	if d, found := markOrphan(e, policy); found {
		return d
	}
	switch {
	case u != nil && l != nil:
		return decide(e, policy)
	case !e.has(origin) && l != nil:
		d := e.take(local)
		if e.copied != nil {
			d.remarks = append(d.remarks, Remark{Kind: LikeDeleted, Path: e.path, Values: [3]*yaml.Node{origin: e.copied, local: l}, Chosen: local})
		}
		return d
	case !e.has(origin) && u != nil:
		return e.take(upstream)
	case u != nil:
		return marked(e, e.deletedByLocal(), policy)
	}
	return marked(e, e.deletedByUpstream(policy), policy)
}

func (e *element) deletedByLocal() decision {
	d := decision{verdict: Drop}
	switch {
	case e.unchanged(upstream), !e.removable && e.onlyFollows(upstream):
		d.tellLostComment(e)
	case e.removable:
		d.remark(LocalRemoved, e)
	default:
		d.conflict(LocalDeleted, e, local)
	}
	return d
}

// deletedByUpstream decides an element that upstream deleted.
func (e *element) deletedByUpstream(policy Policy) decision {
	d := decision{verdict: Drop}
	if e.effective(local) == nil || e.unchanged(local) || e.onlyFollows(local) || e.isRenamedOnly() {
		return e.take(upstream)
	}
	chosen := policy.Side(e.path)
	if e.inferred && e.keepsInferred(policy) {
		chosen = local
	}
	if chosen == local {
		d.verdict = TakeLocal
	}
	d.conflict(UpstreamDeleted, e, chosen)
	return d
}

// keepsInferred reports whether upstream's deletion of something that local has under another name does not follow it
// there, as nothing but likeness tells that it is the same (rules/laws: merging again). On a branch, and between markers,
// it is a change like any other.
func (e *element) keepsInferred(policy Policy) bool {
	return !e.rules.RemovalsCollide && !policy.Marks(e.path)
}

// isRenamedOnly reports whether local changed nothing of a resource but its name and namespace, and references that follow, and these are no change: a
// package that a user prefixed and put into a namespace is not customised by that. On a branch they are a change
// (rules/git: renamed documents).
func (e *element) isRenamedOnly() bool {
	o, l := unnamed(e.value[origin]), unnamed(e.value[local])
	return e.resource && !e.rules.RemovalsCollide && (same(e.typ, o, l) || follows(o, l, e.rules.Renamed[local]))
}

// decideAtomic decides whole values: scalars, lists without keys, atomic structs, and values of different kinds
// (rules/fields: whole values):
//
//	o→u        o→l                 result
//	unchanged  any                 local (absent stays absent)
//	changed    unchanged           upstream (absent in upstream: removed)
//	changed    changed, equal      local
//	changed    changed, different  conflict, the policy's side
//
// If both sides changed different parts of an image, a string of several lines or a list, the result has both changes.
//
// A null that origin does not have deletes (rules/fields: null). Against a change it is a conflict, which local's null
// wins, and upstream's by policy.
func decideAtomic(e *element, policy Policy) decision {
	if side, ok := e.unopposed(); ok {
		if d, collides := decideSetter(e, policy); collides {
			return d
		}
		return e.take(side)
	}
	if side, ok := e.longer(); ok && e.form == atomic && !e.joined && !e.migrated() {
		return e.take(side)
	}
	if e.form == atomic && !e.migrated() {
		for _, byParts := range [6]func(*element, Policy) (decision, bool){
			decideImage, decideVersion, decideLines, decidePermissions, decideHunks, decideUnion,
		} {
			if d, ok := byParts(e, policy); ok {
				return d
			}
		}
	}
	chosen := policy.Side(e.path)
	if e.newNull(local) {
		chosen = local
	}
	if e.migrated() {
		chosen = e.migration.by
	}
	d := e.take(chosen)
	d.conflict(wholeConflict(e), e, chosen)
	return d
}

// unopposed returns the side whose version the element has if at most one side changed it, or both alike. A key that
// is not written has its default.
func (e *element) unopposed() (identity.Side, bool) {
	o, u, l := e.value[origin], e.value[upstream], e.value[local]
	side, ok := e.oneChange(o, u, l)
	switch {
	case ok:
		return side, true
	case e.same(e.effective(upstream), e.effective(local)):
		return local, true
	case isLatestOf(e.effective(upstream), e.effective(local)):
		return upstream, true
	case isLatestOf(e.effective(local), e.effective(upstream)):
		return local, true
	case e.effective(upstream) == nil && e.onlyFollows(local):
		return upstream, true
	case e.effective(local) == nil && e.onlyFollows(upstream):
		return local, true
	case e.keyDefault == nil:
		return local, false
	}
	return e.oneChange(cmp.Or(o, e.keyDefault), cmp.Or(u, e.keyDefault), cmp.Or(l, e.keyDefault))
}

func (e *element) oneChange(o, u, l *yaml.Node) (identity.Side, bool) {
	if e.same(o, u) || e.same(u, l) {
		return local, true
	}
	return upstream, e.same(o, l)
}

// take decides for a side's version, which may be absent: then the comments of the other side's version go along.
func (e *element) take(side identity.Side) decision {
	if e.effective(side) != nil {
		return decision{verdict: take(side)}
	}
	d := decision{verdict: Drop}
	d.tellLostComment(e)
	return d
}

func wholeConflict(e *element) Kind {
	u, l := e.effective(upstream), e.effective(local)
	switch {
	case u == nil:
		return UpstreamDeleted
	case l == nil:
		return LocalDeleted
	case u.Kind != l.Kind:
		return KindChanged
	}
	return BothChanged
}

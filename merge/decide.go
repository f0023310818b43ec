package merge

import "cmp"

// decide is phase 2: it is pure, and reads nothing but the element.
func decide(e *element, policy Policy) decision {
	switch e.form {
	case mapping:
		return decideMap(e, policy)
	case keyed:
		return decideList(e, policy)
	case whole:
		return decideWhole(e, policy)
	}
	return decision{verdict: undecided}
}

// decideWhole is DESIGN 3.1, for scalars, lists without keys, atomic structs,
// and where the sides' kinds differ:
//
//	o→u        o→l                 result
//	unchanged  any                 local (absent stays absent)
//	changed    unchanged           upstream (absent in upstream: removed)
//	changed    changed, equal      local
//	changed    changed, different  conflict, the policy's side
//
// Where both changed an image, a string of several lines or, under the policy
// union, a list, each may have changed another part of it: then the result has
// both changes.
//
// A null that origin does not have deletes (DESIGN 3, Null). Against a change
// it is a conflict, removed if the null is local's, and otherwise by policy.
func decideWhole(e *element, policy Policy) decision {
	if v := unopposed(e); v != undecided {
		return version(e, v)
	}
	if e.form == whole && !e.migrated() {
		for _, finer := range [3]decider{decideImage, decideLines, decideUnion} {
			if d, ok := finer(e, policy); ok {
				return d
			}
		}
	}
	return collision(e, policy)
}

// decider decides an element if its rule is for it.
type decider func(*element, Policy) (decision, bool)

// collision takes one side's version of what both changed differently.
func collision(e *element, policy Policy) decision {
	chosen := policy.Side(e.path)
	if e.newNull(local) {
		chosen = local
	}
	if e.migrated() {
		chosen = e.migration.by
	}
	d := version(e, take(chosen))
	d.conflict(wholeConflict(e), e, chosen)
	return d
}

// unopposed is the version of an element that one side at most changed, or both
// alike. A key's default is what the field is where it is not written.
func unopposed(e *element) verdict {
	o, u, l := e.value[origin], e.value[upstream], e.value[local]
	switch {
	case e.same(o, u):
		return takeLocal
	case e.same(o, l):
		return takeUpstream
	case e.same(e.effective(upstream), e.effective(local)):
		return takeLocal
	case e.fallback == nil:
		return undecided
	}
	o, u, l = cmp.Or(o, e.fallback), cmp.Or(u, e.fallback), cmp.Or(l, e.fallback)
	switch {
	case e.same(o, u) || e.same(u, l):
		return takeLocal
	case e.same(o, l):
		return takeUpstream
	}
	return undecided
}

// version decides for a side's version, which may be that it has none.
func version(e *element, v verdict) decision {
	side := local
	if v == takeUpstream {
		side = upstream
	}
	if e.effective(side) == nil {
		v = drop
	}
	return decision{verdict: v}
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

// decideIdentified is DESIGN 3.8 for a resource, 3.3 for an element of a keyed
// list, and 3.7 for a union struct, which are wholes in the same way:
//
//	origin  upstream  local  result
//	-       -         L      local's, unchanged
//	-       U         -      upstream's, added
//	O       -         = O    deleted
//	O       -         ≠ O    conflict upstream-deleted; deleted, under policy local kept
//	O       U         -      stays deleted; conflict local-deleted if upstream changed it
//	-       U         L      merged, origin absent
//	O       U         L      merged
func decideIdentified(e *element, policy Policy) decision {
	o, u, l := e.value[origin], e.effective(upstream), e.effective(local)
	switch {
	case u != nil && l != nil:
		return decide(e, policy)
	case o == nil && l != nil:
		return decision{verdict: takeLocal}
	case o == nil && u != nil:
		return decision{verdict: takeUpstream}
	case u != nil:
		d := decision{verdict: drop}
		if !e.unchanged(upstream) {
			d.conflict(LocalDeleted, e, local)
		}
		return d
	case l == nil || e.unchanged(local):
		return decision{verdict: drop}
	}
	d := decision{verdict: drop}
	chosen := policy.Side(e.path)
	if chosen == local {
		d.verdict = takeLocal
	}
	d.conflict(UpstreamDeleted, e, chosen)
	return d
}

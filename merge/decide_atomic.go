package merge

import "cmp"

// decideAtomic is design 3.1, for scalars, lists without keys, atomic structs,
// and where the sides' kinds differ:
//
//	o→u        o→l                 result
//	unchanged  any                 local (absent stays absent)
//	changed    unchanged           upstream (absent in upstream: removed)
//	changed    changed, equal      local
//	changed    changed, different  conflict, the policy's side
//
// Where both changed an image, a string of several lines or a list, each may have
// changed another part of it: then the result has both changes.
//
// A null that origin does not have deletes (design 3, Null). Against a change
// it is a conflict, removed if the null is local's, and otherwise by policy.
func decideAtomic(e *element, policy Policy) decision {
	if v := unopposed(e); v != Undecided {
		return version(e, v)
	}
	if e.form == atomic && !e.migrated() {
		for _, finer := range [4]decider{decideImage, decideLines, decideHunks, decideUnion} {
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
func unopposed(e *element) Verdict {
	o, u, l := e.value[origin], e.value[upstream], e.value[local]
	switch {
	case e.same(o, u):
		return TakeLocal
	case e.same(o, l):
		return TakeUpstream
	case e.same(e.effective(upstream), e.effective(local)):
		return TakeLocal
	case e.fallback == nil:
		return Undecided
	}
	o, u, l = cmp.Or(o, e.fallback), cmp.Or(u, e.fallback), cmp.Or(l, e.fallback)
	switch {
	case e.same(o, u) || e.same(u, l):
		return TakeLocal
	case e.same(o, l):
		return TakeUpstream
	}
	return Undecided
}

// version decides for a side's version, which may be that it has none.
func version(e *element, v Verdict) decision {
	side := local
	if v == TakeUpstream {
		side = upstream
	}
	if e.effective(side) == nil {
		v = Drop
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

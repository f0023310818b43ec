package merge

import "cmp"

// decide is phase 2: it decides an element and all below it. It is pure, and
// reads nothing but the element. The children are decided first; the rule of
// the element's form then has their decisions.
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
		return decideAtomic(e, policy)
	}
	return decision{verdict: Undecided}
}

// decideFields decides the entries of a map; of one that a side removed, under
// upstream. A union struct is a whole, like a resource (rules/unions: switches).
func decideFields(e *element, policy Policy) []decision {
	if e.effective(upstream) == nil || e.effective(local) == nil {
		policy = Prefer(PreferUpstream)
	}
	fields := make([]decision, len(e.children))
	for i, c := range e.children {
		switch {
		case c.foreign:
			fields[i] = marked(c, leave(c, c.migration.by), policy)
		case isUnion(c.typ) && c.form == mapping:
			fields[i] = decideIdentified(c, policy)
		default:
			fields[i] = decide(c, policy)
		}
	}
	return fields
}

// decideElements decides the elements of an associative list.
func decideElements(e *element, policy Policy) []decision {
	elements := make([]decision, len(e.children))
	for i, c := range e.children {
		if c.unkeyed {
			elements[i] = unkeyedElement(c)
		} else {
			elements[i] = decideIdentified(c, policy)
		}
	}
	return elements
}

// decideIdentified decides a resource (rules/resources: additions and deletions), an
// element of an associative list (rules/lists: keyed lists) or a union struct
// (rules/unions: switches), which are wholes in the same way:
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
	o, u, l := e.value[origin], e.effective(upstream), e.effective(local)
	if d, found := markOrphan(e, policy); found {
		return d
	}
	switch {
	case u != nil && l != nil:
		return decide(e, policy)
	case o == nil && l != nil:
		return decision{verdict: TakeLocal}
	case o == nil && u != nil:
		return decision{verdict: TakeUpstream}
	case u != nil:
		return marked(e, e.deletedByLocal(), policy)
	}
	return marked(e, e.deletedByUpstream(policy), policy)
}

func (e *element) deletedByLocal() decision {
	d := decision{verdict: Drop}
	switch {
	case e.unchanged(upstream):
	case e.removable:
		d.remark(LocalRemoved, e)
	default:
		d.conflict(LocalDeleted, e, local)
	}
	return d
}

func (e *element) deletedByUpstream(policy Policy) decision {
	d := decision{verdict: Drop}
	if e.effective(local) == nil || e.unchanged(local) || e.resource && onlyRenamed(e.typ, e.value[origin], e.value[local]) {
		return d
	}
	chosen := policy.Side(e.path)
	if chosen == local {
		d.verdict = TakeLocal
	}
	d.conflict(UpstreamDeleted, e, chosen)
	return d
}

// decideAtomic follows rules/fields: whole values, for scalars, lists without keys,
// atomic structs, and where the sides' kinds differ:
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
// A null that origin does not have deletes (rules/fields: null). Against a change it is
// a conflict, removed if the null is local's, and otherwise by policy.
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

package merge

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
// upstream. A union struct is a whole, like a resource (design 3.7).
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

// decideIdentified is design 3.8 for a resource, 3.3 for an element of an
// associative list, and 3.7 for a union struct, which are wholes in the same way:
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

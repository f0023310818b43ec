package merge

// decideMap is design 3.2. Key by key; a map that the merge emptied stays, as
// {}, only if upstream and local both still have it. Where one side removed the
// map, its entries are decided under upstream, and the collisions among them
// are one conflict on the map.
func decideMap(e *element, fields []decision, policy Policy) decision {
	u, l := e.effective(upstream) != nil, e.effective(local) != nil
	d := decision{verdict: MergeParts, children: fields}
	if u && l {
		decideUnions(e, &d, policy)
		decideImageFields(e, &d, policy)
		decideApart(e, &d, policy)
	}
	if e.rekeyed {
		decideKey(e, &d, policy)
	}
	d.order = weave(d.children, e.order[local], e.behind(e.order[upstream]))
	switch {
	case !e.has(origin):
	case !l:
		return mapGoneFromLocal(e, d, policy)
	case !u:
		return mapGoneUpstream(e, d, policy)
	}
	return d
}

// mapGoneFromLocal decides a map that local removed: what upstream added to or
// changed in it since origin becomes its value, a conflict unless that is
// nothing. Under policy local, or removed by a null, it stays away.
func mapGoneFromLocal(e *element, d decision, policy Policy) decision {
	changed := len(d.order) > 0 || d.conflicting()
	if !changed {
		return decision{verdict: Drop}
	}
	d.silence()
	chosen := policy.Side(e.path)
	if e.newNull(local) || len(d.order) == 0 {
		chosen = local
	}
	if chosen == local {
		d = decision{verdict: Drop}
	}
	d.conflict(LocalDeleted, e, chosen)
	return d
}

// mapGoneUpstream decides a map that upstream removed: the entries that origin
// had go, those only local has stay. It is a conflict if local had changed one
// that goes; under policy local, local's map stays then as it is.
func mapGoneUpstream(e *element, d decision, policy Policy) decision {
	conflict := d.conflicting()
	d.silence()
	if len(d.order) == 0 {
		d = decision{verdict: Drop}
	}
	if !conflict {
		return d
	}
	chosen := policy.Side(e.path)
	if chosen == local {
		d = decision{verdict: TakeLocal}
	}
	d.conflict(UpstreamDeleted, e, chosen)
	return d
}

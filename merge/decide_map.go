package merge

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// decideMap decides a map key by key (rules/fields: maps). A map that the merge emptied stays, as {}, only if upstream
// and local both have it. If one side removed the map, its entries are decided under the policy upstream, and their
// conflicts are one conflict of the map.
func decideMap(e *element, fields []decision, policy Policy) decision {
	u, l := e.effective(upstream) != nil, e.effective(local) != nil
	d := decision{verdict: MergeParts, children: fields}
	if u && l {
		decideUnions(e, &d, policy)
		decideImageFields(e, &d, policy)
		decideExclusive(e, &d, policy)
	}
	if e.rekeyed {
		decideKey(e, &d, policy)
	}
	d.order = e.mergedOrder(d.children)
	switch {
	case e.has(origin) && !l:
		return mapRemovedByLocal(e, d, policy)
	case e.has(origin) && !u:
		return mapRemovedByUpstream(e, d, policy)
	}
	return d
}

// mapRemovedByLocal decides a map that local removed. It gets upstream's additions and changes as its value, in
// conflict if there are any. Under the policy local, or if a null removed it, it stays removed.
func mapRemovedByLocal(e *element, d decision, policy Policy) decision {
	if len(d.order) == 0 && !d.conflicting() {
		return decision{verdict: Drop}
	}
	d.silenceChildren()
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

// mapRemovedByUpstream decides a map that upstream removed: origin's entries are removed, and local's additions stay.
// It is a conflict if local had changed a removed entry; then local's map stays under the policy local.
func mapRemovedByUpstream(e *element, d decision, policy Policy) decision {
	conflict := d.conflicting()
	d.silenceChildren()
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

// decideKey takes all parts of the key of an element that both sides re-keyed from one side (rules/lists:
// re-keyed elements): neither side wrote a key with parts of both.
func decideKey(e *element, d *decision, policy Policy) {
	chosen := policy.Side(e.path)
	for _, key := range e.keys {
		takeField(e, d, strings.Split(key.Name, "."), chosen)
	}
	d.conflict(BothChanged, e, chosen)
}

// takeField takes the field at a path below e from a side, without a conflict.
func takeField(e *element, d *decision, names []string, side identity.Side) {
	for i, c := range e.children {
		switch child := &d.children[i]; {
		case c.path.field != names[0]:
		case len(names) == 1 || child.verdict != MergeParts:
			*child = c.take(side)
		default:
			takeField(c, child, names[1:], side)
			child.order = c.mergedOrder(child.children)
		}
	}
}

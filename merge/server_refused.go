package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/managed"
)

// refusedConfig finds elements of config's keyed lists that the server cannot tell
// apart, two of one key, and one without a key; and nulls in a custom resource's maps that
// its CRD does not allow (design 14). With any, the object stays.
func refusedConfig(e *element) decision {
	d := decision{verdict: TakeLocal}
	if !e.has(local) {
		d.verdict = Drop
	}
	d.refuse(e)
	return d
}

func (d *decision) refuse(e *element) {
	for i, c := range e.children {
		if c.unkeyed && c.has(upstream) && e.alike(i) {
			d.conflict(Refused, c, local)
			d.conflicts[len(d.conflicts)-1].Reason = "no key tells the element of the list from another"
		}
		if c.typ != nil && c.typ.NoNull && isNull(c.value[upstream]) {
			d.conflict(Refused, c, local)
			d.conflicts[len(d.conflicts)-1].Reason = "config has null where the CRD allows none"
		}
		d.refuse(c)
	}
}

// alike reports whether config has another element with the key of this one before it, or
// this one has no key.
func (e *element) alike(i int) bool {
	c := e.children[i]
	if !slices.ContainsFunc(c.path.keys, func(k KeyValue) bool { return k.Value != nil }) {
		return true
	}
	for _, j := range e.order[upstream] {
		if j == i {
			return false
		}
		if managed.SameStep(e.children[j].path.step(), c.path.step()) {
			return true
		}
	}
	return false
}

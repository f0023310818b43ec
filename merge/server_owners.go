package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/managed"
)

// writeOwners puts the new managedFields into the decision of an object: M owns what config
// has, and the others what is left of theirs (design 14, 8).
func (r *serving) writeOwners(e *element, d *decision, m marks) {
	gone := managed.Union(m.set.Set(), m.lost.Set())
	var entries managed.Entries
	for _, o := range e.owned {
		switch {
		case o.by.Same(r.owner):
			entries = append(entries, *o.by)
		case r.leaves(o.by):
		default:
			left := *o.by
			left.Fields = managed.Difference(o.fields, gone)
			entries = append(entries, left)
		}
		r.otherVersion(e, d, o)
	}
	r.updateLastApplied(e, d)
	entries = entries.With(r.owner, managed.Difference(r.claims, unclaimed()))
	d.put(e, []string{"metadata", managedFields}, slices.DeleteFunc(entries, func(e managed.Entry) bool { return e.Fields.Empty() }).Node())
}

// otherVersion says once that managers own fields in another apiVersion (design 14, 7).
func (r *serving) otherVersion(e *element, d *decision, o owned) {
	if o.by.APIVersion != r.owner.APIVersion && !slices.ContainsFunc(d.remarks, func(r Remark) bool { return r.Kind == OtherVersions }) {
		d.remark(OtherVersions, e)
	}
}

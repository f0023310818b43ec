package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// decideJoint puts the decisions right of fields that are one value: newTag and
// digest of an entry of kustomize's images, which are the tag of an image
// (design 3.1). Where both sides changed that value, differently, it is a
// conflict, and all its fields are the policy's side's: a tag never comes out
// with the other side's digest.
func decideJoint(e *element, d *decision, policy Policy) {
	if e.typ == nil {
		return
	}
	for _, fields := range e.typ.Joint {
		differ := func(a, b identity.Side) bool { return e.fieldsDiffer(fields, a, b) }
		if !differ(origin, upstream) || !differ(origin, local) || !differ(upstream, local) {
			continue
		}
		chosen := policy.Side(e.path)
		for i, c := range e.children {
			if slices.Contains(fields, c.path.field) {
				d.children[i] = version(c, take(chosen))
			}
		}
		d.conflict(BothChanged, e, chosen)
		d.conflicts[len(d.conflicts)-1].Part = TagPart
	}
}

// fieldsDiffer reports whether two sides have other values in some fields.
func (e *element) fieldsDiffer(fields []string, a, b identity.Side) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		return slices.Contains(fields, c.path.field) && !c.same(c.effective(a), c.effective(b))
	})
}

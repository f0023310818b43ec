package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// isReplaced reports whether one side put another thing in the place of an element of a list, under its key, and the other
// side added a field to the element that was there: most of origin's fields are gone, and others came. The field belongs to
// the old thing, so the whole element is in conflict (rules/lists: replaced elements).
func (e *element) isReplaced() bool {
	return e.path != nil && e.path.keys != nil && !e.resource && e.inAll() &&
		(e.replaces(upstream) && e.addsFields(local) || e.replaces(local) && e.addsFields(upstream))
}

// replaces reports whether most of origin's fields, apart from the key, are gone from a side's version, which has others.
// The image of another program counts as gone.
func (e *element) replaces(side identity.Side) bool {
	had, gone := 0, 0
	version := slices.Concat(e.versionsWithDigests()...) // one that is given in another way is not replaced
	if f := e.imageFields(); f != nil {
		version = f.Tag
	}
	for _, c := range e.children {
		isPart := slices.Contains(version, c.path.field) || slices.ContainsFunc(e.path.keys, func(k KeyValue) bool { return k.Name == c.path.field })
		if isPart || !c.has(origin) {
			continue
		}
		had++
		if c.effective(side) == nil || c.isOtherImage(side) {
			gone++
		}
	}
	return 2*gone > had && e.addsFields(side)
}

// addsFields reports whether a side has a field that no other side has.
func (e *element) addsFields(side identity.Side) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		return !c.has(origin) && c.effective(side) != nil && !c.has(otherSide(side))
	})
}

// isOtherImage reports whether a side gave an image another last part of its name: it is another program's.
func (e *element) isOtherImage(side identity.Side) bool {
	if e.typ == nil || e.typ.Scalar != schema.Image {
		return false
	}
	was, _, wasImage := splitImage(e.value[origin])
	is, _, isImage := splitImage(e.effective(side))
	return wasImage && isImage && !sameBase(was, is)
}

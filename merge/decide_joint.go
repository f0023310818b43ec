package merge

import (
	"cmp"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideImageFields puts the decisions right of the fields of a map that are a container image
// (design 3.1): an entry of kustomize's images, and in the values of a chart a repository with its
// tag. The name is one value, and the tag with the digest another; both together are one where an
// image is. Where both sides changed such a value, differently, it is a conflict, and all its
// fields are the policy's side's: a tag never comes out with the other side's digest, nor
// with the name of another image.
func decideImageFields(e *element, d *decision, policy Policy) {
	f := e.imageFields()
	if f == nil {
		return
	}
	if all := slices.Concat(f.Name, f.Tag); e.wholeImage || !sameEnd(e.imageNames(f)...) {
		e.decideJoint(d, all, ImagePart, policy)
		return
	}
	e.decideJoint(d, f.Tag, TagPart, policy)
	if len(f.Name) > 1 {
		e.decideJoint(d, f.Name, NamePart, policy)
	}
}

// imageFields are the fields of a map that are an image, nil if it is none. What no
// schema calls one is an image if each side has a repository that is written as images are,
// and one has a tag or digest with it.
func (e *element) imageFields() *schema.ImageFields {
	if e.typ != nil && e.typ.Image != nil {
		return e.typ.Image
	}
	f := &schema.ImageFields{Name: []string{"registry", "repository"}, Tag: []string{"tag", "digest"}}
	named, tagged := false, false
	for _, c := range e.children {
		tagged = tagged || slices.Contains(f.Tag, c.path.field)
		if c.path.field != "repository" {
			continue
		}
		named = true
		for _, n := range c.value {
			named = named && n != nil && isString(n) && isImageName(n.Value)
		}
	}
	if !named || !tagged {
		return nil
	}
	return f
}

// imageNames are the names of the image on the sides that have the map: the last of the fields
// that say it, else what the key says.
func (e *element) imageNames(f *schema.ImageFields) (names []string) {
	for side, n := range e.value {
		if n == nil {
			continue
		}
		name := ""
		for _, c := range e.children {
			if v := c.effective(identity.Side(side)); isString(v) && (c.path.field == f.Name[len(f.Name)-1] || c.path.field == f.Key && name == "") {
				name = v.Value
			}
		}
		names = append(names, cmp.Or(name, "."))
	}
	return names
}

// decideJoint decides fields that are one value. The conflict is the map's, of which they are a part.
func (e *element) decideJoint(d *decision, fields []string, part string, policy Policy) {
	differ := func(a, b identity.Side) bool { return e.fieldsDiffer(fields, a, b) }
	if !differ(origin, upstream) || !differ(origin, local) || !differ(upstream, local) {
		return
	}
	chosen := policy.Side(e.path)
	for i, c := range e.children {
		if slices.Contains(fields, c.path.field) {
			d.children[i] = version(c, take(chosen))
		}
	}
	d.conflict(BothChanged, e, chosen)
	d.conflicts[len(d.conflicts)-1].Part = part
}

// fieldsDiffer reports whether two sides have other values in some fields.
func (e *element) fieldsDiffer(fields []string, a, b identity.Side) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		return slices.Contains(fields, c.path.field) && !c.same(c.effective(a), c.effective(b))
	})
}

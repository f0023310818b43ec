package merge

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// The parts of an image that merge apart (rules/fields: images), as conflicts name
// them.
const (
	NamePart = "name" // with the registry
	TagPart  = "tag"  // with the digest

	// ImagePart is both, of an image in several fields of a map.
	ImagePart = "image"
)

// image is a container image in its two parts. The tag has its separator with
// it: ":1.2", "@sha256:0a", ":1.2@sha256:0a"; it is "" where nothing is written.
type image struct{ name, tag string }

// splitImage takes an image apart. What is not written as images are, such as
// $(IMAGE) or an empty string, has no parts.
func splitImage(n *yaml.Node) (image, bool) {
	if !isString(n) {
		return image{}, false
	}
	rest, digest, digested := strings.Cut(n.Value, "@")
	name, tag, tagged := rest, "", false
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, '/') {
		name, tag, tagged = rest[:colon], rest[colon+1:], true // not a registry's port
	}
	algorithm, hex, _ := strings.Cut(digest, ":")
	if !isImageName(name) || tagged && !isWritten(tag, "._-") || digested && (!isWritten(algorithm, "._+-") || !isWritten(hex, "")) {
		return image{}, false
	}
	return image{name: name, tag: n.Value[len(name):]}, true
}

// isImageName reports whether text is steps divided by slashes, the first of
// which may end in a port.
func isImageName(text string) bool {
	steps := strings.Split(text, "/")
	if host, port, hasPort := strings.Cut(steps[0], ":"); hasPort {
		if len(steps) == 1 || !isWritten(port, "") {
			return false
		}
		steps[0] = host
	}
	for _, s := range steps {
		if !isWritten(s, "._-") {
			return false
		}
	}
	return true
}

// isWritten reports whether text is not empty and has but letters, digits and
// the marks.
func isWritten(text, marks string) bool {
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return text != ""
}

// decideImage decides an image that both sides changed differently as two
// values, each by the table of decideAtomic: a mirrored registry stays when
// upstream bumps the tag. What both changed in one part is a conflict about that
// part. Images that differ in both parts, or have none, are whole values, and so are those of
// which a side has a name that ends otherwise: its tags are those of another image. The
// result is quoted as local's.
func decideImage(e *element, policy Policy) (decision, bool) {
	if e.typ == nil || e.typ.Scalar != schema.Image || e.wholeImage {
		return decision{}, false
	}
	var images [3]image
	for side, n := range [3]*yaml.Node{e.value[origin], e.effective(upstream), e.effective(local)} {
		split := false
		if images[side], split = splitImage(n); !split {
			return decision{}, false
		}
	}
	if !sameEnd(images[origin].name, images[upstream].name, images[local].name) {
		return decision{}, false
	}
	chosen := policy.Side(e.path)
	name, nameClashes := mergeText([3]string{images[origin].name, images[upstream].name, images[local].name}, chosen)
	tag, tagClashes := mergeText([3]string{images[origin].tag, images[upstream].tag, images[local].tag}, chosen)
	if nameClashes && tagClashes {
		return decision{}, false
	}
	d := e.made(withText(e.value[local], name+tag))
	if nameClashes || tagClashes {
		d.conflict(BothChanged, e, chosen)
		d.conflicts[0].Part = partOf(e.effective(chosen), name+tag, nameClashes)
	}
	return d, true
}

// sameEnd reports whether the names of images have one last component, so that one version may
// have the registry of the other.
func sameEnd(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return path.Base(name) != path.Base(names[0]) })
}

// partOf is the part that a conflict is about; all of the image if what comes out
// is wholly the chosen side's.
func partOf(chosen *yaml.Node, result string, nameClashes bool) string {
	switch {
	case chosen.Value == result:
		return ""
	case nameClashes:
		return NamePart
	}
	return TagPart
}

// mergeText is the table of decideAtomic for texts. Where they clash it is the
// chosen side's.
func mergeText(text [3]string, chosen identity.Side) (merged string, clashes bool) {
	switch {
	case text[origin] == text[upstream], text[upstream] == text[local]:
		return text[local], false
	case text[origin] == text[local]:
		return text[upstream], false
	}
	return text[chosen], true
}

// decideImageFields puts the decisions right of the fields of a map that are a container image
// (rules/fields: images): an entry of kustomize's images, and in the values of a chart a
// repository with its tag. The name is one value, and the tag with the digest another; both
// together are one where an image is. Where both sides changed such a value, differently, it is a
// conflict, and all its fields are the policy's side's: a tag never comes out with the other
// side's digest, nor with the name of another image.
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

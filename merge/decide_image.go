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

// The parts of an image in a Conflict (rules/fields: images).
const (
	namePart  = "name"  // with the registry
	tagPart   = "tag"   // with the digest
	imagePart = "image" // both, of an image in several fields of a map
)

// splitImage splits an image into its name and its tag with the digest and separators: ":1.2", "@sha256:0a" or
// ":1.2@sha256:0a". A text that is not an image, such as $(IMAGE), is not ok.
func splitImage(n *yaml.Node) (name, tag string, ok bool) {
	if !isString(n) {
		return "", "", false
	}
	rest, digest, digested := strings.Cut(n.Value, "@")
	name, tag, tagged := cutTag(rest)
	algorithm, hex, _ := strings.Cut(digest, ":")
	ok = isImageName(name) && (!tagged || isToken(tag, "._-")) && (!digested || isToken(algorithm, "._+-") && isToken(hex, ""))
	return name, n.Value[len(name):], ok
}

// isLatestOf reports whether an image is another one, which has a repository and no tag, with the tag latest written out: an image without a
// tag is its latest one (https://kubernetes.io/docs/concepts/containers/images/#image-names).
func isLatestOf(latest, bare *yaml.Node) bool {
	if !isString(latest) || !isString(bare) || latest.Value != bare.Value+":latest" {
		return false
	}
	name, tag, ok := splitImage(bare)
	return ok && tag == "" && strings.Contains(name, "/")
}

// cutTag cuts an image without a digest at the colon before the tag, which is not that of a registry's port.
func cutTag(image string) (name, tag string, tagged bool) {
	colon := strings.LastIndexByte(image, ':')
	if colon <= strings.LastIndexByte(image, '/') {
		return image, "", false
	}
	return image[:colon], image[colon+1:], true
}

// isImageName reports whether text is components separated by slashes. The first may end in a port.
func isImageName(text string) bool {
	components := strings.Split(text, "/")
	if host, port, hasPort := strings.Cut(components[0], ":"); hasPort {
		if len(components) == 1 || !isToken(port, "") {
			return false
		}
		components[0] = host
	}
	return !slices.ContainsFunc(components, func(s string) bool { return !isToken(s, "._-") })
}

// isToken reports whether text is not empty and has only ASCII letters, digits and the given punctuation.
func isToken(text, punctuation string) bool {
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(punctuation, r)) {
			return false
		}
	}
	return text != ""
}

// decideImage decides an image that both sides changed as two values, by the table of decideAtomic: a mirrored
// registry stays when upstream bumps the tag. If both changed one part, the conflict is about that part. Images that
// differ in both parts are whole values, and so are images if a side has another last component in the name, unless it
// is a mirror: the tags of one image do not fit another. A text that is an image only by its form has parts only at a mirror.
// The result is quoted as local's.
func decideImage(e *element, policy Policy) (decision, bool) {
	byForm := e.typ == nil || e.typ.Scalar != schema.Image
	if e.rules.WholeImages || byForm && !e.looksLikeImage() {
		return decision{}, false
	}
	var names, tags [3]string
	for side, n := range e.versions() {
		var ok bool
		if names[side], tags[side], ok = splitImage(n); !ok {
			return decision{}, false
		}
	}
	mirrored := isMirror(names, tags)
	if byForm && !mirrored {
		return decision{}, false
	}
	if mirrored && tags[local] != tags[upstream] {
		tags[local] = tags[origin]
	}
	chosen := func() identity.Side { return policy.Side(e.path) }
	name, nameClashes := mergeText(names, chosen)
	tag, tagClashes := mergeText(tags, chosen)
	if nameClashes && tagClashes || !mirrored && !sameBase(names[:]...) {
		return decision{}, false
	}
	var settled []Remark
	if tagClashes {
		if side, why, ok := e.chosenVersion(tags, policy); ok {
			tag, tagClashes, settled = tags[side], false, []Remark{e.versionRemark(why, side)}
		}
	}
	d := e.made(withText(e.value[local], name+tag))
	d.remarks = settled
	switch written := e.versions(); {
	case mirrored && tags[upstream] != tags[origin] && !sameBase(names[:]...):
		d.remark(Mirrored, e)
	case len(settled) > 0 || nameClashes || tagClashes || name+tag == written[upstream].Value || name+tag == written[local].Value:
	case name == names[local]:
		d.remarks = []Remark{e.versionRemark(ImageMerged, local)}
	default:
		d.remarks = []Remark{e.versionRemark(ImageMerged, upstream)}
	}
	if nameClashes || tagClashes {
		side := chosen()
		d.conflict(BothChanged, e, side).Part = partOf(e.effective(side), name+tag, nameClashes)
	}
	return d, true
}

// isMirror reports whether local took an image from another repository, and kept its version: upstream kept the name, and
// local's tag and digest are origin's or upstream's, or local left out origin's digest (rules/fields: images).
func isMirror(names, tags [3]string) bool {
	kept, digest, _ := strings.Cut(tags[local], "@")
	was, _, _ := strings.Cut(tags[origin], "@")
	return names[origin] == names[upstream] && names[origin] != names[local] && tags[local] != "" &&
		(tags[local] == tags[origin] || tags[local] == tags[upstream] || digest == "" && kept == was)
}

// sameBase reports whether the names of images have one last component: they may differ in their registries.
func sameBase(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return path.Base(name) != path.Base(names[0]) })
}

// partOf returns the part that a conflict is about: "" for the whole image if the result is the chosen side's.
func partOf(chosen *yaml.Node, result string, nameClashes bool) string {
	switch {
	case chosen.Value == result:
		return ""
	case nameClashes:
		return namePart
	}
	return tagPart
}

// mergeText decides texts by the table of decideAtomic, with the chosen side's version if they clash.
func mergeText(text [3]string, chosen func() identity.Side) (merged string, clashes bool) {
	switch {
	case text[origin] == text[upstream], text[upstream] == text[local]:
		return text[local], false
	case text[origin] == text[local]:
		return text[upstream], false
	}
	return text[chosen()], true
}

// decideImageFields corrects the decisions about the fields of a map that are a container image (rules/fields:
// images): an entry of kustomize's images, or a repository with its tag in the values of a chart. The name is one
// value, and the tag with the digest another; both are one value where an image is one. In any other map a version and
// its digest are one value (rules/fields: versions with a digest). If both sides changed such a value differently, all
// of its fields are the policy's side's, in conflict: so a tag never meets the other side's digest, nor the name of
// another image, but by a rule for that field.
func decideImageFields(e *element, d *decision, policy Policy) {
	f := e.imageFields()
	if e.hasDispute(policy) {
		policy = policy.withoutNewest()
	}
	for _, fields := range e.versionsBeside(f) {
		if e.changed(fields) > 1 {
			e.decideJointly(d, fields, tagPart, policy)
		}
	}
	if f == nil {
		return
	}
	mirrored, withoutDigest := e.isMirror(f)
	named, isNamed := e.changedBy(f.Name)
	tagged, isTagged := e.changedBy(f.Tag)
	switch {
	case e.rules.WholeImages || !e.inAll():
	case mirrored && e.differ(origin, upstream, f.Tag...) && !sameBase(e.imageNames(f)...):
		d.remark(Mirrored, e)
	case isNamed && isTagged && named != tagged && sameBase(e.imageNames(f)...):
		d.remarks = append(d.remarks, e.versionRemark(ImageMerged, named))
	}
	switch {
	case e.rules.WholeImages, !mirrored && !sameBase(e.imageNames(f)...):
		e.decideJointly(d, slices.Concat(f.Name, f.Tag), imagePart, policy)
		return
	case mirrored && withoutDigest:
		e.takeFields(d, f.Tag, upstream)
		return
	}
	e.decideJointly(d, f.Tag, tagPart, policy)
	if len(f.Name) > 1 {
		e.decideJointly(d, f.Name, namePart, policy)
	}
}

// changedBy returns the side that alone changed fields of a map.
func (e *element) changedBy(fields []string) (side identity.Side, ok bool) {
	if side = upstream; !e.differ(origin, upstream, fields...) {
		side = local
	}
	return side, e.differ(origin, upstream, fields...) != e.differ(origin, local, fields...)
}

// imageFields returns the fields of a map that are an image, nil if there are none. A map that no schema knows has an
// image if each side has a repository in the form of an image name, and one has a tag or digest beside it.
func (e *element) imageFields() *schema.ImageFields {
	if e.typ != nil && e.typ.Image != nil {
		return e.typ.Image
	}
	f := &schema.ImageFields{Name: []string{"registry", "repository"}, Tag: []string{"tag", "digest", "sha", "sha256"}}
	for _, fields := range e.versionsWithDigests() {
		if slices.Contains(fields, "tag") {
			f.Tag = slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.Tag, slices.DeleteFunc(fields, func(field string) bool { return !isDigest(field) })))))
		}
	}
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

// isMirror is the function isMirror for the fields of an image. withoutDigest means that local left out origin's digest, and
// kept the tag.
func (e *element) isMirror(f *schema.ImageFields) (mirrored, withoutDigest bool) {
	if e.differ(origin, upstream, f.Name...) || !e.differ(origin, local, f.Name...) || !e.inAll() {
		return false, false
	}
	kept := slices.DeleteFunc(slices.Clone(f.Tag), isDigest)
	for _, c := range e.children {
		if isDigest(c.path.field) && slices.Contains(f.Tag, c.path.field) {
			withoutDigest = withoutDigest || c.has(origin) && !c.has(local)
		}
	}
	if withoutDigest {
		return !e.differ(origin, local, kept...), true
	}
	return !e.differ(origin, local, f.Tag...) || !e.differ(upstream, local, f.Tag...), false
}

// imageNames returns the name of the image on each side that has the map: from the last field for names, else
// from the field that is the key.
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

// decideJointly decides fields that are one value. A conflict is about this part of the map.
func (e *element) decideJointly(d *decision, fields []string, part string, policy Policy) {
	if !e.differ(origin, upstream, fields...) || !e.differ(origin, local, fields...) || !e.differ(upstream, local, fields...) {
		return
	}
	if chosen, remark, ok := e.jointVersion(fields, policy); ok {
		e.takeFields(d, fields, chosen)
		d.remarks = append(d.remarks, remark)
		return
	}
	if e.hasRuleFor(fields, policy) && e.keepsChange(fields, policy) {
		e.decideApart(d, fields, policy)
		return
	}
	chosen := policy.Side(e.path)
	e.takeFields(d, fields, chosen)
	d.conflict(BothChanged, e, chosen).Part = part
}

// hasRuleFor reports whether a rule prefers another side for a field than for the map (rules/fields: images).
func (e *element) hasRuleFor(fields []string, policy Policy) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		preferred := policy.otherwise(c.path)
		return slices.Contains(fields, c.path.field) && e.differ(upstream, local, c.path.field) &&
			preferred != policy.otherwise(e.path) && (preferred == PreferUpstream || preferred == PreferLocal)
	})
}

// keepsChange reports whether the fields, each decided by itself, keep a change of either side.
func (e *element) keepsChange(fields []string, policy Policy) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		name := c.path.field
		return slices.Contains(fields, name) && e.differ(upstream, local, name) && e.differ(origin, policy.Side(c.path), name)
	})
}

// decideApart takes each field from its own side, as conflicts of their own.
func (e *element) decideApart(d *decision, fields []string, policy Policy) {
	for i, c := range e.children {
		if slices.Contains(fields, c.path.field) && e.differ(upstream, local, c.path.field) {
			chosen := policy.Side(c.path)
			d.children[i] = c.take(chosen)
			d.children[i].conflict(wholeConflict(c), c, chosen)
		}
	}
}

// takeFields takes fields of a map from a side, without their conflicts and remarks.
func (e *element) takeFields(d *decision, fields []string, side identity.Side) {
	for i, c := range e.children {
		if slices.Contains(fields, c.path.field) {
			d.children[i] = c.take(side)
		}
	}
}

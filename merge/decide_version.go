package merge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideVersion decides a scalar that both sides changed, if a setter's comment says that a machine owns it
// (rules/fields: values that a machine owns), or if the policy prefers the newest of two versions (rules/conflicts:
// newest).
func decideVersion(e *element, policy Policy) (decision, bool) {
	if slices.ContainsFunc(e.value[:], func(n *yaml.Node) bool { return n != nil && n.Kind != yaml.ScalarNode }) {
		return decision{}, false
	}
	chosen, why, ok := e.chosenVersion(e.texts(), policy)
	if !ok {
		return decision{}, false
	}
	d := e.take(chosen)
	d.remarks = []Remark{e.versionRemark(why, chosen)}
	return d, true
}

func (e *element) versionRemark(why RemarkKind, chosen identity.Side) Remark {
	return Remark{Kind: why, Path: e.path, Values: e.value, Chosen: chosen}
}

// chosenVersion returns the side whose version a setter or the policy chooses. texts are the versions, or the parts of
// them that collide.
func (e *element) chosenVersion(texts [3]string, policy Policy) (identity.Side, RemarkKind, bool) {
	if chosen, why, ok := e.ownedByMachine(texts); ok {
		return chosen, why, true
	}
	chosen, ok := e.newest(texts, policy)
	return chosen, Newest, ok
}

// ownedByMachine decides a value whose line has one setter's comment on all sides that have it:
//
//	one side          the other side     result
//	bumped            bumped             the newer
//	bumped            deleted the field  deleted
//
// A bump leaves everything but hashes and a number at the end as origin has it, and is not below origin. Everything else
// is a conflict: a change by hand, two bumps of one age, a version below origin, and another comment or none. A value that both sides added
// is two bumps.
func (e *element) ownedByMachine(texts [3]string) (chosen identity.Side, why RemarkKind, ok bool) {
	setter := e.setter(origin)
	if !e.has(origin) && e.inBoth() {
		texts[origin], setter = texts[upstream], e.setter(upstream)
	}
	if e.rules.IgnoreSetters || setter == "" {
		return 0, "", false
	}
	var bumped, deleted [3]bool
	for _, side := range [2]identity.Side{upstream, local} {
		if deleted[side] = e.effective(side) == nil; deleted[side] {
			continue
		}
		order, comparable := version.CompareBumps(texts[side], texts[origin])
		bumped[side] = comparable && (order >= 0 || !e.has(origin))
		if e.setter(side) != setter || !bumped[side] && version.IsBelow(texts[side], texts[origin]) {
			return 0, "", false
		}
	}
	switch {
	case bumped[upstream] && bumped[local]:
		order, comparable := version.CompareBumps(texts[upstream], texts[local])
		return newerSide(order), NewerBump, comparable && order != 0
	case !bumped[upstream] && !bumped[local], !e.has(origin):
		return 0, "", false
	case bumped[upstream]:
		chosen = local
	default:
		chosen = upstream
	}
	return chosen, DeletedBump, deleted[chosen]
}

// newerSide returns the side with the newer version, by the order of upstream's to local's.
func newerSide(order int) identity.Side {
	if order > 0 {
		return upstream
	}
	return local
}

// setter returns the name of the policy in Flux's setter comment on a side's line, such as flux-system:app:tag, "" if
// there is none.
func (e *element) setter(side identity.Side) string {
	comment := nodeSlots(e.value[side]).line
	if e.key[side] != nil {
		comment = fieldSlots(e.key[side], e.value[side]).line
	}
	const field = "$imagepolicy"
	if !strings.Contains(comment, field) {
		return ""
	}
	var setter map[string]string
	if json.Unmarshal([]byte(strings.TrimLeft(comment, "# \t")), &setter) != nil {
		return ""
	}
	return setter[field]
}

// newest returns the side with the newer version, if the policy prefers that, the element is a version, a remote base, or has the
// form of an image, and neither side is below origin. A time that a generator wrote is decided so under every policy.
func (e *element) newest(texts [3]string, policy Policy) (identity.Side, bool) {
	if side, ok := e.newestTime(); ok {
		return side, true
	}
	refs, isRemoteBase := e.refs()
	if isRemoteBase {
		texts = refs
	}
	if !e.isVersion() && !e.looksLikeImage() && !isRemoteBase || e.effective(upstream) == nil || e.effective(local) == nil {
		return 0, false
	}
	for _, side := range [2]identity.Side{upstream, local} {
		if order, comparable := version.Compare(texts[side], texts[origin]); e.has(origin) && (!comparable || order < 0) {
			return 0, false
		}
	}
	order, comparable := version.Compare(texts[upstream], texts[local])
	return newerSide(order), comparable && order != 0 && policy(e.path)&PreferNewest != 0
}

// newestTime returns the side with the newer time of two that generators wrote, as createdAt in the bundle of an operator
// (rules/fields: times that a generator wrote).
func (e *element) newestTime() (identity.Side, bool) {
	if e.rules == nil || e.rules.NoOrigin || e.path == nil || !slices.Contains([]string{"createdAt", "generatedAt", "builtAt"}, e.path.field) || !e.inAll() {
		return 0, false
	}
	var times [3]time.Time
	for side, n := range e.value {
		var err error
		for _, layout := range [3]string{time.RFC3339, time.DateTime, time.DateOnly} {
			if times[side], err = time.Parse(layout, n.Value); err == nil {
				break
			}
		}
		if err != nil {
			return 0, false
		}
	}
	order := times[upstream].Compare(times[local])
	return newerSide(order), order != 0
}

// looksLikeImage reports whether a field has an image with a registry or repository, and a tag, on all sides that have it.
func (e *element) looksLikeImage() bool {
	return !slices.ContainsFunc(e.value[:], func(n *yaml.Node) bool {
		if n == nil {
			return false
		}
		name, tag, ok := splitImage(n)
		return !ok || tag == "" || !strings.Contains(name, "/")
	})
}

// refs returns the versions behind ?ref= if all sides that have the element refer to one directory of a repository.
func (e *element) refs() (refs [3]string, ok bool) {
	address := ""
	for side, n := range e.value {
		if n == nil {
			continue
		}
		at, ref, found := strings.Cut(n.Value, "ref=")
		if !isString(n) || !found || !strings.HasSuffix(at, "?") && !strings.HasSuffix(at, "&") || address != "" && at != address {
			return refs, false
		}
		address = at
		refs[side], _, _ = strings.Cut(ref, "&")
	}
	return refs, address != ""
}

// isVersion reports whether the element is an image, or a field whose name stands for a version.
func (e *element) isVersion() bool {
	return e.typ != nil && e.typ.Scalar == schema.Image || e.path != nil && slices.Contains(versionFields(), e.path.field)
}

// versionFields lists the names of fields with a version: of an image, a chart, a package or a revision of git.
func versionFields() []string {
	return []string{
		"image", "tag", "newTag", "imageTag", "version", "appVersion", "chart", "chartVersion", "targetRevision", "revision", "ref", "uses",
		"helm.sh/chart", "app.kubernetes.io/version",
	}
}

// hasDispute reports whether each side has the newest version of some field of a map: then neither side is the newer
// one (rules/conflicts: newest).
func (e *element) hasDispute(policy Policy) bool {
	var newer [3]bool
	for _, c := range e.children {
		if c.form != atomic || !c.isVersion() || !c.inBoth() {
			continue
		}
		if _, unopposed := c.unopposed(); unopposed {
			continue
		}
		if side, ok := c.newest(c.texts(), policy); ok {
			newer[side] = true
		}
	}
	return newer[upstream] && newer[local]
}

// isDigest reports whether a field has the digest of a version beside it, or the commit, by its name: digest, webDigest or digestChroot.
func isDigest(field string) bool {
	switch field {
	case "digest", "sha", "sha256", "commit":
		return true
	}
	rest, found := strings.CutPrefix(field, "digest")
	return strings.HasSuffix(field, "Digest") || found && 'A' <= rest[0] && rest[0] <= 'Z'
}

// versionsWithDigests returns the fields of a map that are one version: a digest such as webDigest, and the webTag, webVersion, webImage or
// web beside it; and all other digests, and the versions beside these, or, in a map without such a digest, the tag, branch or semver that
// names the version (rules/fields: versions with a digest).
func (e *element) versionsWithDigests() (versions [][]string) {
	var digests, own []string
	for _, c := range e.children {
		field := c.path.field
		if !isDigest(field) || !c.isText() || c.isEmptied() { // useDigest is none
			continue
		}
		var named []string
		if prefix, found := strings.CutSuffix(field, "Digest"); found {
			for _, other := range e.children {
				if name := other.path.field; slices.Contains([]string{prefix, prefix + "Tag", prefix + "Version", prefix + "Image"}, name) && other.isText() && !other.isRepository() {
					named = append(named, name)
				}
			}
		}
		if len(named) == 0 {
			digests = append(digests, field)
			continue
		}
		named = append(named, field)
		own = append(own, named...)
		versions = append(versions, named)
	}
	var fields []string
	for _, c := range e.children {
		field := c.path.field
		isPlain := field == "tag" || field == "semver" || field == "branch"
		if !slices.Contains(own, field) && !c.isRepository() && (isPlain || len(digests) > 0 && c.isVersion()) {
			fields = append(fields, field)
		}
	}
	if len(digests) > 0 && len(fields) > 0 || len(fields) > 1 {
		versions = append(versions, append(fields, digests...))
	}
	return versions
}

// versionsBeside returns the versions with their digests in a map that are not of its image, which may be nil.
func (e *element) versionsBeside(f *schema.ImageFields) [][]string {
	versions := e.versionsWithDigests()
	if f == nil {
		return versions
	}
	return slices.DeleteFunc(versions, func(fields []string) bool {
		return slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(f.Tag, field) })
	})
}

// isRepository reports whether a field has the name of one image, perhaps at a mirror, without a tag on each side that has it: then its version is
// elsewhere.
func (e *element) isRepository() bool {
	var names []string
	for _, n := range e.value {
		if n == nil {
			continue
		}
		name, tag, ok := splitImage(n)
		if !ok || tag != "" || !strings.Contains(name, "/") {
			return false
		}
		names = append(names, name)
	}
	return sameBase(names...)
}

// isEmptied reports whether a side has an empty text: a webDigest that a copy made empty stands beside any version.
func (e *element) isEmptied() bool {
	return strings.HasSuffix(e.path.field, "Digest") && slices.ContainsFunc(e.value[:], func(n *yaml.Node) bool { return n != nil && n.Value == "" })
}

// isText reports whether a field is a text on each side that has it.
func (e *element) isText() bool {
	return !slices.ContainsFunc(e.value[:], func(n *yaml.Node) bool { return n != nil && (n.Kind != yaml.ScalarNode || n.ShortTag() == "!!bool") })
}

// changed counts the fields of a map that are not alike in all versions.
func (e *element) changed(fields []string) (n int) {
	for _, field := range fields {
		if e.differ(origin, upstream, field) || e.differ(origin, local, field) {
			n++
		}
	}
	return n
}

// differ reports whether two sides have different values in any of these fields of a map.
func (e *element) differ(a, b identity.Side, fields ...string) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool {
		return slices.Contains(fields, c.path.field) && !c.same(c.effective(a), c.effective(b))
	})
}

// jointVersion returns the side whose version of some fields of a map is chosen, if one of them is a version, and no
// other differs but its digest.
func (e *element) jointVersion(fields []string, policy Policy) (chosen identity.Side, remark Remark, ok bool) {
	var versioned *element
	for _, c := range e.children {
		if field := c.path.field; isDigest(field) || !slices.Contains(fields, field) || !e.differ(upstream, local, field) {
			continue
		}
		if versioned != nil || c.form != atomic {
			return 0, Remark{}, false
		}
		versioned = c
	}
	if versioned == nil {
		return 0, Remark{}, false
	}
	chosen, why, ok := versioned.chosenVersion(versioned.texts(), policy)
	return chosen, versioned.versionRemark(why, chosen), ok
}

// texts returns the texts of a scalar's versions, "" where it is absent.
func (e *element) texts() (out [3]string) {
	for side, n := range e.versions() {
		if n != nil {
			out[side] = n.Value
		}
	}
	return out
}

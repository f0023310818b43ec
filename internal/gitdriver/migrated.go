package gitdriver

import (
	"bytes"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/marker"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// mixed is the document in which a merge of lines has a field that the document's new apiVersion
// lacks and the old one has (design 3.8): one side changed the apiVersion, and the other one the
// field. found is false where there is none.
func (v Versions) mixed(merged []byte) (where string, found bool) {
	if bytes.Equal(apiVersions(merged), apiVersions(v.Texts[marker.Base])) {
		return "", false
	}
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	known := schema.New(nil, nil, true)
	before := versionsOf(sides[identity.Origin])
	ours, theirs := versionsOf(sides[identity.Local]), versionsOf(sides[identity.Upstream])
	for _, r := range result.Resources {
		old := before[unversioned(r)]
		if old == nil || old.Meta.APIVersion == r.Meta.APIVersion {
			continue
		}
		for _, side := range [2]*pkgmerge.Resource{ours[unversioned(r)], theirs[unversioned(r)]} {
			if side != nil && side.Meta.APIVersion == r.Meta.APIVersion && hasOld(r, old, known) && !hasOld(side, old, known) {
				return r.Meta.Kind + " " + r.Meta.Name, true
			}
		}
	}
	return "", false
}

// hasOld reports whether a document has a field of its old apiVersion that its own lacks.
func hasOld(r, old *pkgmerge.Resource, known *schema.Schema) bool {
	tree, err := r.Tree()
	return err == nil && merge.HasForeign(tree, kindOf(old, known), kindOf(r, known))
}

// kindOf is what is known of a document's kind in its apiVersion.
func kindOf(r *pkgmerge.Resource, known *schema.Schema) schema.Resource {
	return known.Resource(identity.Group(r.Meta.APIVersion), identity.Version(r.Meta.APIVersion), r.Meta.Kind)
}

// versionsOf are the documents of a version by who they are, whatever their apiVersion.
func versionsOf(p pkgmerge.Package) map[identity.ID]*pkgmerge.Resource {
	out := make(map[identity.ID]*pkgmerge.Resource, len(p.Resources))
	for _, r := range p.Resources {
		out[unversioned(r)] = r
	}
	return out
}

// unversioned is a document's identity without its group.
func unversioned(r *pkgmerge.Resource) identity.ID {
	id := r.ID()
	id.Group = ""
	return id
}

// apiVersions are the lines of a text that say an apiVersion.
func apiVersions(text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("apiVersion:")) || bytes.Contains(line, []byte(`"apiVersion":`)) {
			out = append(out, bytes.TrimSpace(line)...)
		}
	}
	return out
}

package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// byFields merges a file field by field: once for each side, so that the results
// differ in what collides. An error says why the file cannot be merged so.
func byFields(ctx context.Context, v Versions, f marker.Format) (marker.Pieces, error) {
	for _, text := range v.Texts {
		if f.HasMarker(text) {
			return nil, errors.New("it has conflict markers in it")
		}
		if bytes.Contains(text, []byte("cli-utils.sigs.k8s.io/inventory-id")) {
			return nil, errors.New("an inventory is its cluster's own")
		}
	}
	packages, err := v.packages()
	if err != nil {
		return nil, err
	}
	renames := followRenames(packages)
	texts := [3][]byte{marker.Base: v.Texts[marker.Base]}
	collided := map[identity.ID][]*merge.Path{}
	var changes []*pkgmerge.Change
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		preference := merge.MarkLocal
		if side == marker.Theirs {
			preference = merge.MarkUpstream
		}
		options := pkgmerge.Options{
			Strategy: pkgmerge.ResourceMerge{WholeImages: true}, Policy: pkgmerge.Prefer(preference), Renames: renames,
			MergeComments: pkgmerge.CommentNever, NullIsValue: true, RemovalsCollide: true, LocalFirst: true,
			Adopt:    []pkgmerge.Adoption{},
			NoOrigin: len(packages[identity.Origin].Resources) == 0,
		}
		result, err := pkgmerge.Merge(ctx, packages, options)
		if err != nil {
			return nil, err
		}
		if texts[side], err = textOf(result); err != nil {
			return nil, err
		}
		if side == marker.Ours {
			changes = result.Changes
		}
		for _, c := range result.Changes {
			if v.NoBase && !(c.Has(identity.Local) && c.Has(identity.Upstream)) {
				return nil, errors.New("both sides added the file, with other documents")
			}
			meta := c.Newest().Meta
			if c.Result != nil {
				meta = c.Result.Meta
			}
			collided[meta.PlainID()] = append(collided[meta.PlainID()], c.Collisions()...)
		}
	}
	pieces, err := marker.Files(texts, func(root *yaml.Node) []*merge.Path { return collided[identity.ReadMeta(root).PlainID()] })
	if err == nil && marking.Settle(changes, [2][]byte{texts[marker.Ours], texts[marker.Theirs]}, pieces) > 0 {
		return nil, errors.New("of what collides in it one version alone can stand")
	}
	return pieces, err
}

// packages are the versions as packages of one file.
func (v Versions) packages() (packages [3]pkgmerge.Package, err error) {
	sides := [3]identity.Side{marker.Ours: identity.Local, marker.Base: identity.Origin, marker.Theirs: identity.Upstream}
	for side, text := range v.Texts {
		if packages[sides[side]], err = v.packageOf(text); err != nil {
			return packages, err
		}
	}
	return packages, nil
}

// packageOf is a version as a package of one file.
func (v Versions) packageOf(text []byte) (p pkgmerge.Package, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return pkgmerge.NewPackage(nil)
	}
	p, err = pkgmerge.NewPackage([]pkgmerge.File{{Name: v.fileName(), Mode: 0o644, Data: text}})
	if err == nil && len(p.Resources) == 0 {
		err = errors.New("it is no YAML of mappings")
	}
	return p, err
}

// fileName is the name by which the file is read: its own, where that says what the
// file is. A Kptfile is a resource like any other: its branches belong to one package.
func (v Versions) fileName() string {
	name := path.Base(v.Path)
	if ext := path.Ext(name); ext == ".json" || strings.HasPrefix(name, "kustomization.y") {
		return name
	}
	if name == "Kustomization" {
		return name
	}
	return "file.yaml"
}

// textOf is the one file of a result; nil if it went with its last document.
func textOf(r *pkgmerge.Result) ([]byte, error) {
	for _, f := range r.FileChanges {
		if f.Fault != "" {
			return nil, errors.New(strings.TrimPrefix(f.Fault, f.Name+": "))
		}
	}
	files, err := r.Files()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return files[0].Data, nil
}

// mostly is how much two resources must have in common to be one that was renamed.
const mostly = 0.7

// followRenames finds the documents that a side renamed: one that left it, and one that came
// there in the same place, between the same others, of the same kind and mostly alike
// (rules/git: renamed documents). Those of theirs it returns; those of ours are told by the
// identifier of the resource.
func followRenames(packages [3]pkgmerge.Package) (renames []identity.Rename) {
	origin := packages[identity.Origin].Resources
	for _, p := range renamed(origin, packages[identity.Upstream].Resources) {
		from, to := p[0].ID(), p[1].ID()
		renames = append(renames, identity.Rename{Group: &from.Group, Kind: from.Kind, From: nameOf(from), To: nameOf(to)})
	}
	for _, p := range renamed(origin, packages[identity.Local].Resources) {
		from := p[0].ID()
		p[1].Identifier = strings.Join([]string{from.Group, from.Kind, from.Namespace, from.Name}, "|")
	}
	return renames
}

// nameOf is an identity's name as a rename has it.
func nameOf(id identity.ID) string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "/" + id.Name
}

// place is where a document stands: behind how many that both versions have, and of
// what kind it is.
type place struct {
	behind      int
	group, kind string
}

// renamed pairs the documents that left with those that came, where one of each is at
// a place.
func renamed(before, after []*pkgmerge.Resource) (pairs [][2]*pkgmerge.Resource) {
	left, places := alone(before, after)
	came, _ := alone(after, before)
	for _, at := range places {
		if l, c := left[at], came[at]; len(l) == 1 && len(c) == 1 && l[0].Likeness(c[0]) >= mostly {
			pairs = append(pairs, [2]*pkgmerge.Resource{l[0], c[0]})
		}
	}
	return pairs
}

// alone are the named resources that others have not, by place, and their places in
// order.
func alone(resources, others []*pkgmerge.Resource) (out map[place][]*pkgmerge.Resource, places []place) {
	there := map[identity.ID]bool{}
	for _, r := range others {
		there[r.ID()] = true
	}
	out = map[place][]*pkgmerge.Resource{}
	behind := 0
	for _, r := range resources {
		id := r.ID()
		switch {
		case there[id]:
			behind++
		case r.Meta.Naming == identity.ByName:
			at := place{behind, id.Group, id.Kind}
			if out[at] == nil {
				places = append(places, at)
			}
			out[at] = append(out[at], r)
		}
	}
	return out, places
}

// mixed is the document in which a merge of lines has a field that the document's new apiVersion
// lacks and the old one has (rules/resources: a new apiVersion): one side changed the
// apiVersion, and the other one the field. found is false where there is none.
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

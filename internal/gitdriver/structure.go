package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/marker"
	"github.com/resource-merge/resource-merge/internal/marking"
	"github.com/resource-merge/resource-merge/merge"
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

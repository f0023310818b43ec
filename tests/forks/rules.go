package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// The rules that decide a value in the upgrade of a copy (rules/fields: images, values that a machine owns).
func decidesValue(kind merge.RemarkKind) bool {
	return slices.Contains([]merge.RemarkKind{
		merge.Mirrored, merge.ImageMerged, merge.NewerBump, merge.DeletedBump, merge.Newest,
	}, kind)
}

// countRules merges a file as the upgrade of a copy, ours being local and theirs upstream, and counts the decisions of
// the rules: whether the people's commit has the same value.
func countRules(ctx context.Context, s history.Scores, v versions, stderr io.Writer) error {
	var packages [3]pkgmerge.Package
	for side, text := range [3][]byte{identity.Origin: v.base, identity.Upstream: v.theirs, identity.Local: v.ours} {
		var files []pkgmerge.File
		if len(text) > 0 {
			files = []pkgmerge.File{{Name: v.path, Mode: 0o644, Data: text}}
		}
		var err error
		if packages[side], err = pkgmerge.NewPackage(files); err != nil {
			return nil // it is left out
		}
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{Strategy: pkgmerge.ResourceMerge{}})
	if err != nil {
		return ctx.Err()
	}
	people := history.Documents(v.people)
	for _, c := range result.Changes {
		trees, merged, err := c.Contents()
		if err != nil {
			continue
		}
		for _, r := range c.Remarks {
			if !decidesValue(r.Kind) {
				continue
			}
			at := func(n *yaml.Node) *yaml.Node { return history.ValueAt([]*yaml.Node{n}, c.Newest().Meta, r.Path) }
			origin, upstream, local := at(trees[identity.Origin]), at(trees[identity.Upstream]), at(trees[identity.Local])
			theirs := history.ValueAt(people, c.Newest().Meta, r.Path)
			is := func(n *yaml.Node) bool { return sameDecided(n, theirs, [3]*yaml.Node{origin, upstream, local}) }
			asPeople := is(at(merged))
			s.Of(string(r.Kind)).Count(asPeople, is(upstream) || is(local))
			if !asPeople {
				fmt.Fprintf(stderr, "%s: %s: %s: origin %s, upstream %s, local %s, merged %s, people %s\n", v.path, r.Kind, r.Path,
					wording.Flow(origin), wording.Flow(upstream), wording.Flow(local), wording.Flow(at(merged)), wording.Flow(theirs))
			}
		}
	}
	return nil
}

// imageFields are the fields of an image whose rules decide (rules/fields: images).
func imageFields() []string {
	return []string{"registry", "repository", "name", "image", "tag", "digest"}
}

// sameDecided reports whether two values are equal: of an image in several fields, in those of its name and version that a
// side changed.
func sameDecided(a, b *yaml.Node, versions [3]*yaml.Node) bool {
	if a == nil || b == nil || a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode {
		return merge.Same(a, b)
	}
	for i := 0; i < len(a.Content); i += 2 {
		name := a.Content[i].Value
		field := func(n *yaml.Node) *yaml.Node { return yamlnode.Field(n, name) }
		was := field(versions[identity.Origin])
		changed := !merge.Same(was, field(versions[identity.Upstream])) || !merge.Same(was, field(versions[identity.Local]))
		if changed && slices.Contains(imageFields(), name) && !merge.Same(field(a), field(b)) {
			return false
		}
	}
	return true
}

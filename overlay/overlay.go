package overlay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Overlay is a fork as a kustomization over a base.
type Overlay struct {
	// Files are kustomization.yaml, the patches and the fork's own resources.
	Files []pkgmerge.File
	// Base is the kustomization.yaml that the base needs, nil if it has one.
	Base []byte
	// Standings are the fork's changes, and what upstream made of them.
	Standings []Standing
	// Unsaid is what the overlay does not say.
	Unsaid []Unsaid
	// Merged is the merge that the overlay builds.
	Merged *pkgmerge.Result
}

// Options say what an overlay is made of. Merge is as in pkgmerge.
type Options struct {
	// Resources is what the kustomization lists for its base: a directory or a remote target.
	Resources string
	// Inline has JSON patches stand in the kustomization itself: where files are items of a
	// list, a list of operations is none.
	Inline bool
	Merge  pkgmerge.Options
}

// Make turns local into an overlay over upstream (design 16.5): what it builds is the
// merge that prefers local, but for resources that upstream dropped. With origin for
// upstream too, it builds local.
func Make(ctx context.Context, packages [3]pkgmerge.Package, o Options) (*Overlay, error) {
	o.Merge.Strategy, o.Merge.MergeComments = pkgmerge.ResourceMerge{}, pkgmerge.CommentNever
	o.Merge.Policy = pkgmerge.Prefer(merge.PreferLocal)
	for side, p := range packages {
		var err error
		if packages[side], err = withoutLists(p); err != nil {
			return nil, err
		}
	}
	result, err := pkgmerge.Merge(ctx, packages, o.Merge)
	if err != nil {
		return nil, err
	}
	m := &maker{inline: o.Inline, kustomization: newKustomization(), taken: patch.FileNames{"kustomization": true}, known: schema.New(nil, nil, true), named: map[patch.Target]int{}}
	out, err := m.make(packages[identity.Upstream], result, o.Resources)
	if err != nil {
		return nil, err
	}
	text, err := encode(m.kustomization)
	out.Files = append([]pkgmerge.File{{Name: "kustomization.yaml", Mode: 0o644, Data: text}}, m.files...)
	out.Unsaid = m.unsaid
	return out, err
}

// make collects what the overlay says.
func (m *maker) make(upstream pkgmerge.Package, result *pkgmerge.Result, resources string) (*Overlay, error) {
	inBase, err := documentsOf(upstream)
	if err != nil {
		return nil, err
	}
	inFork, err := merged(result)
	if err != nil {
		return nil, err
	}
	out, base, fork := &Overlay{Merged: result}, inBase.tree(), inFork.tree()
	files := texts{}
	if fork.top() != nil {
		if files, err = textsOf(upstream, result, inBase, inFork); err != nil {
			return nil, err
		}
	}
	for _, d := range [2]documents{inBase, inFork} {
		if err := d.checkTwice(); err != nil {
			return nil, err
		}
	}
	if len(base.files) > 0 || base.top() != nil {
		list := sequence(m.kustomization, "resources")
		list.Content = append(list.Content, yamlnode.String(resources))
	}
	if err := m.pair(result, base, fork); err != nil {
		return nil, err
	}
	if base.top() == nil && len(base.files) > 0 {
		if out.Base, err = encode(listing(upstream, base)); err != nil {
			return nil, err
		}
	}
	brought := m.kustomizations(base, fork, files)
	m.otherFiles(result, brought, base, fork)
	err = m.resources(out, base, fork)
	if acts := base.changes(); yamlnode.Field(m.kustomization, "patches") != nil && acts != nil {
		m.say("kustomization.yaml", strings.Join(acts, ", "), "the base does this before the overlay's patches")
	}
	return out, err
}

var errNothing = errors.New("neither version has a resource that kustomize builds")

// resources writes what makes the fork's resources of the base's, and says what is still
// needed of it.
func (m *maker) resources(out *Overlay, base, fork tree) error {
	naming := name(m.pairs, isNamed(m.kustomization))
	transformers := choose(m.pairs, func(field string) bool {
		return yamlnode.Field(m.kustomization, field) != nil || slices.Contains(base.acts, field)
	})
	patcher := newPatcher(m.crds)
	var patches []*yaml.Node
	for _, p := range m.pairs {
		standings, err := p.standings(m.known)
		if err != nil {
			return fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		out.Standings = append(out.Standings, standings...)
		entry, err := m.write(p, patcher)
		if err != nil {
			return fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		if entry != nil {
			patches = append(patches, entry)
		}
	}
	m.also(fork.top())
	naming.write(m.kustomization)
	for _, t := range transformers {
		t.write(m.kustomization)
	}
	for _, entry := range patches {
		list := sequence(m.kustomization, "patches")
		list.Content = append(list.Content, entry)
	}
	if len(patches) == 0 && len(yamlnode.Elements(yamlnode.Field(m.kustomization, "resources"))) == 0 {
		return errNothing
	}
	return nil
}

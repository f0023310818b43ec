package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
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

// Options say what an overlay is made of. All but Resources are as in pkgmerge.
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
	result, err := pkgmerge.Merge(ctx, packages, o.Merge)
	if err != nil {
		return nil, err
	}
	m := &maker{out: Overlay{Merged: result}, inline: o.Inline, kustomization: newKustomization(), taken: patch.FileNames{"kustomization": true}, known: schema.New(nil, nil, true)}
	var trees [3]tree
	for side, p := range packages {
		if trees[side], err = readTree(p); err != nil {
			return nil, err
		}
	}
	if len(trees[identity.Upstream].files) > 0 {
		resources := sequence(m.kustomization, "resources")
		resources.Content = append(resources.Content, yamlnode.String(o.Resources))
	}
	if err := m.pair(result, trees); err != nil {
		return nil, err
	}
	if base := trees[identity.Upstream]; base.top == nil && len(base.files) > 0 {
		if m.out.Base, err = encode(listing(packages[identity.Upstream], base)); err != nil {
			return nil, err
		}
	}
	m.kustomizations(trees)
	m.files(result)
	return m.out.of(m)
}

var errNothing = errors.New("neither version has a resource that kustomize builds")

// maker makes an overlay.
type maker struct {
	out           Overlay
	pairs         []*pair
	inline        bool
	kustomization *yaml.Node
	taken         patch.FileNames
	known         *schema.Schema
	crds          []*yaml.Node
	// renames says that patches may give resources other names.
	renames bool
}

// pair finds the resources that the base and the fork build.
func (m *maker) pair(result *pkgmerge.Result, trees [3]tree) error {
	for _, c := range result.Changes {
		versions, fork, err := c.Contents()
		if err != nil {
			return err
		}
		p := &pair{change: c, versions: versions, fork: fork, base: versions[identity.Upstream]}
		if u := c.Versions[identity.Upstream]; u != nil && (!trees[identity.Upstream].files[u.File] || !isResource(p.base)) {
			p.base = nil
		}
		local := trees[identity.Local]
		if p.fork != nil && (!isResource(p.fork) || c.Versions[identity.Local] != nil && !local.files[c.Versions[identity.Local].File]) {
			p.fork = nil
		}
		for side, v := range versions {
			if v != nil && !isResource(v) {
				p.versions[side] = nil
			}
		}
		if isList(p.base) || isList(p.fork) {
			if !merge.Same(p.base, p.fork) {
				m.unsaid(subject(p.target()), "", "it differs, and kustomize takes lists of resources apart")
			}
			continue
		}
		p.fork = withoutMergeComment(p.fork)
		if p.base == nil && p.fork == nil && p.versions == [3]*yaml.Node{} {
			m.leftOut(c, versions)
			continue
		}
		if p.target().Kind == "CustomResourceDefinition" && p.fork != nil {
			m.crds = append(m.crds, p.fork)
		}
		m.pairs = append(m.pairs, p)
	}
	m.pairs = byName(m.pairs)
	return nil
}

// leftOut says that a document which differs is no resource that kustomize builds.
func (m *maker) leftOut(c *pkgmerge.Change, versions [3]*yaml.Node) {
	u, l := versions[identity.Upstream], versions[identity.Local]
	if c.Newest().Meta.Kind == "Kptfile" || u != nil && l != nil && merge.Same(u, l) || u == nil && l == nil {
		return
	}
	if name := path.Base(c.Newest().File); strings.HasPrefix(strings.ToLower(name), "kustomization") {
		return
	}
	m.unsaid(c.Newest().File, "", "it differs, and kustomize builds no such document")
}

func (m *maker) unsaid(subject, path, text string) {
	m.out.Unsaid = append(m.out.Unsaid, Unsaid{Subject: subject, Path: path, Text: text})
}

// kustomizations brings what the fork's kustomization does into the overlay's.
func (m *maker) kustomizations(trees [3]tree) {
	base, local := trees[identity.Upstream], trees[identity.Local]
	if local.top != nil {
		for _, field := range carry(m.kustomization, base.top, local.top) {
			m.unsaid("kustomization.yaml", field, "it differs, and cannot be said on top of the base")
		}
	}
	for _, field := range base.acts {
		m.unsaid("kustomization.yaml", field, "the base does this before the overlay's patches")
	}
}

// files says which other files differ.
func (m *maker) files(result *pkgmerge.Result) {
	for _, f := range result.FileChanges {
		u, l := f.Versions[identity.Upstream], f.Versions[identity.Local]
		if (u == nil) != (l == nil) || u != nil && !bytes.Equal(u.Data, l.Data) {
			m.unsaid(f.Name, "", "it differs, and is no resource")
		}
	}
}

// of completes an overlay.
func (out Overlay) of(m *maker) (*Overlay, error) {
	var transformers []transformer
	if yamlnode.Field(m.kustomization, "namespace") == nil {
		transformers = choose(m.pairs)
	} else {
		for _, p := range m.pairs {
			p.source = p.fork
		}
	}
	patcher := newPatcher(m.crds)
	if m.renames = renamesAreSafe(m.pairs); m.renames {
		followRenames(m.pairs)
	}
	var patches []*yaml.Node
	for _, p := range m.pairs {
		standings, err := p.standings(m.known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		m.out.Standings = append(m.out.Standings, standings...)
		entry, err := m.write(p, patcher)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		if entry != nil {
			patches = append(patches, entry)
		}
	}
	for _, t := range transformers {
		t.write(m.kustomization)
	}
	for _, entry := range patches {
		list := sequence(m.kustomization, "patches")
		list.Content = append(list.Content, entry)
	}
	if len(patches) == 0 && len(yamlnode.Elements(yamlnode.Field(m.kustomization, "resources"))) == 0 {
		return nil, errNothing
	}
	text, err := encode(m.kustomization)
	m.out.Files = append([]pkgmerge.File{{Name: "kustomization.yaml", Mode: 0o644, Data: text}}, m.out.Files...)
	return &m.out, err
}

// write writes what makes the fork's resource of the base's, and returns its entry among
// the patches, nil if it has none.
func (m *maker) write(p *pair, patcher patcher) (*yaml.Node, error) {
	switch {
	case p.base == nil && p.fork == nil, p.isDead(), p.same():
		if p.same() && !merge.Alike(p.base, p.source) {
			m.unsaid(subject(p.target()), "", "its comments differ")
		}
		return nil, nil
	case p.fork == nil:
		return m.patch(p.target(), patch.Deletion(p.target()), nil)
	case p.base == nil:
		return nil, m.own(p)
	}
	t, is := p.target(), patch.TargetOf(p.source)
	if t.APIVersion != is.APIVersion || t.Kind != is.Kind || t.Name != is.Name && !m.renames {
		entry, err := m.patch(t, patch.Deletion(t), nil)
		if err != nil {
			return nil, err
		}
		return entry, m.own(p)
	}
	made, differs, unordered, err := patcher.change(p.base, p.source)
	for _, at := range unordered {
		m.unsaid(subject(t), at, "its elements come in another order: kustomize puts first what a patch names")
	}
	if err != nil || !differs {
		return nil, err
	}
	return m.patch(t, made.Node, options(made, t.Name != is.Name))
}

// options are the fields of a patch's entry beside its path.
func options(p patch.Patch, renames bool) (out []*yaml.Node) {
	if p.Form == patch.JSON || renames {
		out = append(out, yamlnode.String("target"), p.Target.Selector())
	}
	if p.Form != patch.JSON && renames {
		allow := yamlnode.EmptyMap()
		allow.Content = append(allow.Content, yamlnode.String("allowNameChange"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
		out = append(out, yamlnode.String("options"), allow)
	}
	return out
}

// patch writes a patch and returns its entry.
func (m *maker) patch(t patch.Target, n *yaml.Node, more []*yaml.Node) (*yaml.Node, error) {
	text, err := encode(n)
	if m.inline && n.Kind == yaml.SequenceNode {
		literal := yamlnode.String(string(text))
		literal.Style = yaml.LiteralStyle
		entry := yamlnode.EmptyMap()
		entry.Content = append(append(entry.Content, yamlnode.String("patch"), literal), more...)
		return entry, err
	}
	name := "patches/" + m.taken.Of(t)
	m.out.Files = append(m.out.Files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	entry := mapOf([2]string{"path", name})
	entry.Content = append(entry.Content, more...)
	return entry, err
}

// own writes a resource that only the fork has.
func (m *maker) own(p *pair) error {
	name := m.taken.Of(patch.TargetOf(p.source))
	text, err := encode(p.source)
	m.out.Files = append(m.out.Files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	resources := sequence(m.kustomization, "resources")
	resources.Content = append(resources.Content, yamlnode.String(name))
	return err
}

func encode(n *yaml.Node) ([]byte, error) { return patch.Patch{Node: n}.YAML() }

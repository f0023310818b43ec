package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
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

// Make turns local into an overlay over upstream (rules/overlay: overlays): what it
// builds is the merge that prefers local, but for resources that upstream dropped. With
// origin for upstream too, it builds local.
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
	m := &maker{inline: o.Inline, kustomization: newKustomization(), taken: patch.FileNames{"kustomization": true}, known: schema.New(nil, nil, true), named: map[yamlnode.Meta]int{}}
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

// choose finds the transformers that do what the fork did and nothing else: each resource of the
// fork must come out as it is (rules/overlay: transformers). It takes what they do out of the
// sources of the pairs. A field in use, by the overlay's kustomization or the base's, stays as
// it is.
func choose(pairs []*pair, inUse func(field string) bool) []transformer {
	built := slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isBuilt() })
	var chosen []transformer
	for _, of := range []struct {
		field      string
		candidates func([]*pair) []transformer
	}{{"labels", labels}, {"commonAnnotations", annotations}, {"replicas", replicas}, {"images", images}} {
		if inUse(of.field) {
			continue
		}
		for _, candidate := range of.candidates(built) {
			if sources, exact, helps := sourcesOf(built, candidate); exact && helps {
				chosen = append(chosen, candidate)
				for i, p := range built {
					p.source = sources[i]
				}
			}
		}
	}
	return chosen
}

// sourcesOf are the sources before a transformer, whether it makes the sources of them, and
// whether it leaves less for patches to do.
func sourcesOf(built []*pair, t transformer) (sources []*yaml.Node, exact, helps bool) {
	exact = true
	for _, p := range built {
		source := p.source
		if base := p.patchedBase(); base != nil {
			source = t.undo(p, p.source, base)
			helps = helps || !merge.Same(source, p.source)
		}
		sources = append(sources, source)
		exact = exact && merge.Same(t.apply(p, source), p.source)
	}
	return sources, exact, helps
}

// pair finds the resources that the base and the fork build.
func (m *maker) pair(result *pkgmerge.Result, base, fork tree) error {
	for _, c := range result.Changes {
		versions, made, err := c.Contents()
		if err != nil {
			return err
		}
		p := &pair{change: c, versions: versions, fork: made, base: versions[identity.Upstream]}
		if p.base != nil && (!base.files[c.Versions[identity.Upstream].File] || !transform.IsResource(p.base)) {
			p.base = nil
		}
		if p.fork != nil && (!transform.IsResource(p.fork) || !fork.files[c.Result.File]) {
			p.fork = nil
		}
		for side, v := range versions {
			if v != nil && !transform.IsResource(v) {
				p.versions[side] = nil
			}
		}
		if transform.IsList(p.base) || transform.IsList(p.fork) {
			if !merge.Same(p.base, p.fork) {
				m.say(subject(p.target()), "", "it differs, and kustomize takes lists of resources apart")
			}
			continue
		}
		p.fork = withoutMergeComment(p.fork)
		if p.base == nil && p.fork == nil {
			strange := p.versions == [3]*yaml.Node{}
			m.leftOut(c, versions, strange, base, fork)
			if strange || fork.top() != nil {
				continue
			}
		}
		if p.target().Kind == "CustomResourceDefinition" && p.fork != nil {
			m.crds = append(m.crds, p.fork)
		}
		if p.base != nil {
			anywhere := yamlnode.MetaOf(p.base)
			anywhere.Namespace = ""
			m.named[anywhere]++
		}
		m.pairs = append(m.pairs, p)
	}
	m.pairs = byName(m.pairs)
	return nil
}

// leftOut says that a document which differs is no resource that kustomize builds, or that
// kustomize does something else with it.
func (m *maker) leftOut(c *pkgmerge.Change, versions [3]*yaml.Node, strange bool, base, fork tree) {
	u, l, file := versions[identity.Upstream], versions[identity.Local], c.Newest().File
	switch {
	case c.Newest().Meta.Kind == "Kptfile", isKustomizationFile(file), u != nil && l != nil && merge.Same(u, l), u == nil && l == nil:
	case base.mentioned[file] && fork.mentioned[file]:
		m.say(file, "", "it differs, and the base uses it otherwise than as a resource")
	case strange && fork.top() == nil:
		m.say(file, "", "it differs, and kustomize builds no such document")
	}
}

// otherFiles says which other files differ. Those that the overlay has too are no more.
func (m *maker) otherFiles(result *pkgmerge.Result, brought map[string]bool, base, fork tree) {
	for _, f := range result.FileChanges {
		u, l := f.Versions[identity.Upstream], f.Versions[identity.Local]
		switch {
		case brought[f.Name], u == nil && l == nil, u != nil && l != nil && bytes.Equal(u.Data, l.Data):
		case base.mentioned[f.Name] && fork.mentioned[f.Name]:
			m.say(f.Name, "", "it differs, and the base uses it otherwise than as a resource")
		case base.mentioned[f.Name]: // what used it is said
		case f.Fault != "":
			m.say(f.Name, "", "none of its resources is in the overlay: "+f.Fault)
		default:
			m.say(f.Name, "", "it differs, and is no resource")
		}
	}
}

// checkTwice finds two resources of one name in a package without a kustomization: kustomize
// builds no such package.
func (d documents) checkTwice() error {
	t := d.tree()
	if t.top() != nil {
		return nil
	}
	found := map[yamlnode.Meta]string{}
	for _, file := range slices.Sorted(maps.Keys(t.files)) {
		for _, n := range d[file] {
			if !transform.IsResource(n) {
				continue
			}
			is := yamlnode.MetaOf(n)
			is.Namespace = transform.NamespaceOf(is)
			if other, twice := found[is]; twice {
				return fmt.Errorf("%s is in %s and in %s, and kustomize builds only one of a name: %s",
					subject(yamlnode.MetaOf(n)), other, file, d.advice())
			}
			found[is] = file
		}
	}
	return nil
}

// advice says what to do with a package of which kustomize cannot build all files.
func (d documents) advice() string {
	for _, file := range slices.Sorted(maps.Keys(d)) {
		if isKustomizationFile(file) {
			return fmt.Sprintf("give a directory that has a kustomization.yaml, such as %s, or write one that lists the files in use", path.Dir(file))
		}
	}
	return "write a kustomization.yaml that lists the files in use"
}

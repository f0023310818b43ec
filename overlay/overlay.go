package overlay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
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
	// Changes are the fork's changes and whether they are still needed.
	Changes []Change
	// Unexpressed are the changes of the fork that the overlay cannot express, or that kustomize builds differently: the
	// resource or file, the path of the field if it is one, and the reason, separated by colons (rules/overlay: changes
	// that the overlay cannot express).
	Unexpressed []string
	// Merged is the merge that the overlay builds.
	Merged *pkgmerge.Result
}

// Options configure an overlay.
type Options struct {
	// Resources is the entry for the base in the kustomization: a directory or a remote target.
	Resources string
	// Inline puts JSON patches into the kustomization itself, for output as a ResourceList, where a
	// list of operations cannot be an item.
	Inline bool
	Merge  pkgmerge.Options
}

// Make turns local into an overlay over upstream (rules/overlay: overlays). The overlay builds the merge that prefers
// local, without resources that upstream dropped. With origin as upstream too, it builds local.
func Make(ctx context.Context, packages [3]pkgmerge.Package, o Options) (*Overlay, error) {
	o.Merge.Strategy, o.Merge.MergeComments = pkgmerge.ResourceMerge{}, pkgmerge.CommentNever
	o.Merge.Policy, o.Merge.NullIsValue = pkgmerge.Prefer(merge.PreferLocal), true
	for side, p := range packages {
		var err error
		if packages[side], err = expandLists(p); err != nil {
			return nil, err
		}
	}
	result, err := pkgmerge.Merge(ctx, packages, o.Merge)
	if err != nil {
		return nil, err
	}
	m := &maker{inline: o.Inline, kustomization: newKustomization(), fileNames: patch.FileNames{"kustomization": true}, schema: schema.New(nil, nil, true), nameCounts: map[yamlnode.Meta]int{}}
	out, err := m.assemble(packages, result, o.Resources)
	if err != nil {
		return nil, err
	}
	text, err := encode(m.kustomization)
	out.Files = append([]pkgmerge.File{{Name: "kustomization.yaml", Mode: 0o644, Data: text}}, m.files...)
	out.Unexpressed = m.unexpressed
	return out, err
}

// assemble compares the packages and builds the overlay.
func (m *maker) assemble(packages [3]pkgmerge.Package, result *pkgmerge.Result, resources string) (*Overlay, error) {
	all, files, err := readTrees(packages, result)
	if err != nil {
		return nil, err
	}
	upstream, base, fork := packages[identity.Upstream], all.sides[identity.Upstream], all.fork
	out := &Overlay{Merged: result}
	if base.isComponent() {
		m.kustomization = newMapping("apiVersion", "kustomize.config.k8s.io/v1alpha1", "kind", "Component")
	}
	if len(base.files) > 0 || base.root() != nil {
		addTo(m.kustomization, base.entryField(), yamlnode.String(resources))
	}
	if err := m.pairResources(result, all); err != nil {
		return nil, err
	}
	if out.Base, err = missingBase(upstream, base); err != nil {
		return nil, err
	}
	copied := m.carryKustomizations(base, fork, files)
	m.reportOtherFiles(result, copied, base, fork)
	err = m.writeResources(out, base, fork)
	if acts := base.valueFields(); yamlnode.Field(m.kustomization, "patches") != nil && len(acts) > 0 {
		m.addUnexpressed("kustomization.yaml", strings.Join(acts, ", "), "the base does this before the overlay's patches")
	}
	return out, err
}

// missingBase returns the text of the kustomization.yaml that a base of resources lacks, nil if it lacks none.
func missingBase(upstream pkgmerge.Package, base tree) ([]byte, error) {
	if base.root() != nil || len(base.files) == 0 {
		return nil, nil
	}
	return encode(baseKustomization(upstream, base))
}

// trees are the three versions of a package as kustomize builds them, and the merged package.
type trees struct {
	sides [3]tree
	fork  tree
}

// readTrees reads the kustomizations of the versions and of the merged package, with the files that the latter's read.
func readTrees(packages [3]pkgmerge.Package, result *pkgmerge.Result) (all trees, files fileTexts, err error) {
	var in [3]documents
	for side, p := range packages {
		if in[side], err = documentsOf(p); err != nil {
			return all, files, err
		}
		all.sides[side] = in[side].tree()
	}
	inFork, err := mergedDocuments(result)
	if err != nil {
		return all, files, err
	}
	inBase := in[identity.Upstream]
	all.fork = inFork.tree()
	if all.fork.root() != nil {
		if files, err = readTexts(packages[identity.Upstream], result, inBase, inFork); err != nil {
			return all, files, err
		}
	}
	return all, files, cmp.Or(inBase.checkDuplicates(), inFork.checkDuplicates())
}

var errNoResources = errors.New("neither version has a resource that kustomize builds")

// writeResources writes the differences between the resources of base and fork, and collects the fork's changes.
func (m *maker) writeResources(out *Overlay, base, fork tree) error {
	naming := chooseNaming(m.pairs, setsNames(m.kustomization) || setsNames(fork.root()))
	m.reportRenamed(base)
	isPatching := m.carriesPatches() // transformers come after the patches, and would undo them
	transformers := chooseTransformers(m.pairs, func(field string) bool {
		return isPatching || yamlnode.Field(m.kustomization, field) != nil || slices.Contains(base.fields, field)
	})
	patches, err := m.writeChanges(out)
	if err != nil {
		return err
	}
	m.transformOwnFiles(fork.root())
	naming.write(m.kustomization)
	for _, t := range transformers {
		t.write(m.kustomization)
	}
	m.addPatches(patches)
	if len(patches) == 0 && yamlnode.Field(m.kustomization, "resources") == nil && yamlnode.Field(m.kustomization, base.entryField()) == nil {
		return errNoResources
	}
	return nil
}

// reportRenamed names the resources with a patch of their name over a base that changes names, too.
func (m *maker) reportRenamed(base tree) {
	affixes := slices.DeleteFunc([]string{"namePrefix", "nameSuffix"}, func(field string) bool { return !slices.Contains(base.fields, field) })
	for _, p := range m.pairs {
		if len(affixes) > 0 && p.isPatched() && yamlnode.MetaOf(p.base).Name != yamlnode.MetaOf(p.source).Name {
			m.addUnexpressed(subject(p.target()), "metadata.name", "the patch of the name undoes the base's "+strings.Join(affixes, " and "))
		}
	}
}

// writeChanges writes the difference of each pair, collects the fork's changes, and returns the entries in patches.
func (m *maker) writeChanges(out *Overlay) (patches []*yaml.Node, err error) {
	patcher := newPatcher(m.crds)
	for _, p := range m.pairs {
		changes, err := p.changes(m.schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		out.Changes = append(out.Changes, changes...)
		entry, err := m.writeChange(p, patcher)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subject(p.target()), err)
		}
		if entry != nil {
			patches = append(patches, entry)
		}
	}
	return patches, nil
}

// chooseTransformers returns the transformers that build exactly the fork's resources
// (rules/overlay: transformers), and removes their effect from the sources of the pairs. It skips
// fields that inUse reports, of the overlay's kustomization or the base's.
func chooseTransformers(pairs []*pair, inUse func(field string) bool) []transformer {
	built := slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isBuilt() })
	var chosen []transformer
	for _, of := range []struct {
		field      string
		candidates func([]*pair) []transformer
	}{
		{"labels", func(built []*pair) []transformer { return commonMetadata("labels", built) }},
		{"commonAnnotations", func(built []*pair) []transformer { return commonMetadata("annotations", built) }},
		{"replicas", replicaTransformers}, {"images", imageTransformers},
	} {
		if inUse(of.field) {
			continue
		}
		for _, candidate := range of.candidates(built) {
			if sources, exact, helps := undoTransformer(built, candidate); exact && helps {
				chosen = append(chosen, candidate)
				for i, p := range built {
					p.source = sources[i]
				}
			}
		}
	}
	return chosen
}

// undoTransformer returns the sources before a transformer. exact reports whether the transformer
// builds the current sources from them, and helps whether they need fewer patches.
func undoTransformer(built []*pair, t transformer) (sources []*yaml.Node, exact, helps bool) {
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

// pairResources pairs the resources that base and fork build.
func (m *maker) pairResources(result *pkgmerge.Result, all trees) error {
	base, fork := all.sides[identity.Upstream], all.fork
	for _, c := range result.Changes {
		versions, made, err := c.Contents()
		if err != nil {
			return err
		}
		p := &pair{change: c, versions: versions, fork: made}
		p.dropOthers(all)
		if m.leavesOutList(p) {
			continue
		}
		p.fork = withoutMergeComment(p.fork)
		noResource := p.versions == [3]*yaml.Node{}
		if isLeftOut := p.base == nil && p.fork == nil; isLeftOut {
			m.reportLeftOut(c, versions[identity.Upstream], made, noResource, base, fork)
			if noResource {
				continue
			}
		}
		m.add(p)
	}
	placeReferences(base.root(), m.pairs, func(p *pair) **yaml.Node { return &p.base })
	placeReferences(fork.root(), m.pairs, func(p *pair) **yaml.Node { return &p.fork })
	for _, p := range m.pairs {
		p.ignoreNamespace(fork.root())
	}
	m.pairs = pairByName(m.pairs)
	return nil
}

// leavesOutList reports whether a pair is one of lists, which an overlay cannot change.
func (m *maker) leavesOutList(p *pair) bool {
	isList := transform.IsList(p.base) || transform.IsList(p.fork)
	if isList && !merge.Same(p.base, p.fork) {
		m.addUnexpressed(subject(p.target()), "", "it differs, and kustomize takes lists of resources apart")
	}
	return isList
}

// dropOthers drops the versions that are no resources, and the versions that their package does not build.
func (p *pair) dropOthers(all trees) {
	for side, v := range p.versions {
		if v == nil {
			continue
		}
		file := p.change.Versions[side].File
		if !all.sides[side].builds(v, file) || all.sides[side].deletionOf(v, file) != nil {
			p.versions[side] = nil
		}
	}
	p.base = p.versions[identity.Upstream]
	if p.fork != nil {
		p.dropFork(all)
	}
}

// dropFork drops the fork's version if the overlay does not build it. One that a patch deletes which the overlay gets
// from the fork's kustomization is left as the base has it.
func (p *pair) dropFork(all trees) {
	file := p.change.Result.File
	deletion := all.fork.deletionOf(p.fork, file)
	switch {
	case !all.fork.builds(p.fork, file):
		p.fork = nil
	case deletion == nil:
	case deletion.dir == "." && !all.sides[identity.Upstream].lists(deletion):
		p.fork = cmp.Or(p.base, p.fork)
	default:
		p.fork = nil
	}
}

// add adds a pair, and notes its name and its CRD.
func (m *maker) add(p *pair) {
	if p.target().Kind == "CustomResourceDefinition" && p.fork != nil {
		m.crds = append(m.crds, p.fork)
	}
	if p.base != nil {
		anywhere := yamlnode.MetaOf(p.base)
		anywhere.Namespace = ""
		m.nameCounts[anywhere]++
	}
	m.pairs = append(m.pairs, p)
}

// reportLeftOut names a document that is no resource for kustomize, or that kustomize reads as something else, if the
// merged version differs from upstream's.
func (m *maker) reportLeftOut(c *pkgmerge.Change, u, merged *yaml.Node, noResource bool, base, fork tree) {
	file := c.Newest().File
	switch {
	case c.Newest().Meta.Kind == "Kptfile", bookkeeping.IsKustomization(file), u != nil && merged != nil && merge.Same(u, merged), u == nil && merged == nil:
	case base.referenced[file] && fork.referenced[file]:
		m.addUnexpressed(file, "", "it differs, and the base does not use it as a resource")
	case noResource && fork.root() == nil:
		m.addUnexpressed(file, "", "it differs, and kustomize builds no such document")
	}
}

// reportOtherFiles names the other files that differ, except those copied into the overlay.
func (m *maker) reportOtherFiles(result *pkgmerge.Result, copied map[string]bool, base, fork tree) {
	for _, f := range result.FileChanges {
		u, merged := f.Versions[identity.Upstream], f.Result
		switch {
		case copied[f.Name], u == nil && merged == nil, u != nil && merged != nil && bytes.Equal(u.Data, merged.Data):
		case base.referenced[f.Name] && fork.referenced[f.Name]:
			m.addUnexpressed(f.Name, "", "it differs, and the base does not use it as a resource")
		case base.referenced[f.Name]: // its user was named
		case f.Fault != "":
			m.addUnexpressed(f.Name, "", "none of its resources is in the overlay: "+f.Fault)
		default:
			m.addUnexpressed(f.Name, "", "it differs, and is not a resource")
		}
	}
}

// checkDuplicates returns an error if a package without a kustomization has two resources of one
// name, since kustomize does not build such a package.
func (d documents) checkDuplicates() error {
	t := d.tree()
	if t.root() != nil {
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

// advice returns the remedy for a package with files that kustomize cannot build together.
func (d documents) advice() string {
	for _, file := range slices.Sorted(maps.Keys(d)) {
		if bookkeeping.IsKustomization(file) {
			return fmt.Sprintf("give a directory that has a kustomization.yaml, such as %s, or write one that lists the files in use", path.Dir(file))
		}
	}
	return "write a kustomization.yaml that lists the files in use"
}

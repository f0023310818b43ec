package overlay

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// pair is a resource in base and fork. Either may be nil.
type pair struct {
	base, fork *yaml.Node
	// source is the resource that the patches must produce; the transformers build fork from it.
	source *yaml.Node
	// recreated reports that the base's resource is deleted and the fork's is a file.
	recreated bool
	// names are the names that kustomize knows the resource by.
	names  []string
	change *pkgmerge.Change
	// versions are the merged versions of the resource.
	versions [3]*yaml.Node
}

// ignoreNamespace gives the fork's resource the base's namespace where the fork's kustomization sets the namespace of all:
// then it does not count which one stands in the file.
func (p *pair) ignoreNamespace(fork *yaml.Node) {
	if p.base != nil && p.fork != nil && yamlnode.Text(yamlnode.Field(fork, "namespace")) != "" {
		p.fork = transform.WithNamespaceOf(p.fork, p.base)
	}
}

// target returns the resource's name in the base if the base has it, else in the fork.
func (p *pair) target() yamlnode.Meta {
	if p.base != nil {
		return yamlnode.MetaOf(p.base)
	}
	return yamlnode.MetaOf(p.fork)
}

// pairByName pairs a fork's resource with the base's of the same name, if another pair has that.
// Kustomize addresses resources by name.
func pairByName(pairs []*pair) []*pair {
	taken := map[yamlnode.Meta]*pair{}
	for _, p := range pairs {
		if p.base != nil {
			taken[yamlnode.MetaOf(p.base)] = p
		}
	}
	free := map[*pair]*yaml.Node{}
	for _, p := range pairs {
		if p.fork == nil {
			continue
		}
		if other := taken[yamlnode.MetaOf(p.fork)]; other != nil && other != p {
			free[other], p.fork = p.fork, nil
		}
	}
	for _, p := range pairs {
		if fork := free[p]; fork != nil && p.fork == nil {
			p.fork = fork
		}
	}
	return pairs
}

// withoutMergeComment returns a resource without its merge comment.
func withoutMergeComment(n *yaml.Node) *yaml.Node {
	key, metadata := yamlnode.Entry(n, "metadata")
	if key == nil {
		return n
	}
	if _, err := identity.ParseComment(key.LineComment); err != nil {
		return n
	}
	out := yamlnode.WithField(n, "metadata", metadata)
	for i, k := range out.Content {
		if k == key {
			plain := *key
			plain.LineComment = ""
			out.Content[i] = &plain
		}
	}
	return out
}

// isBuilt reports whether the overlay has the resource.
func (p *pair) isBuilt() bool { return p.fork != nil && !p.isDroppedUpstream() }

// isPatched reports whether the overlay builds the resource from the base's.
func (p *pair) isPatched() bool {
	if p.base == nil || p.fork == nil || p.recreated {
		return false
	}
	was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.fork)
	return was.APIVersion == is.APIVersion && was.Kind == is.Kind
}

// patchedBase returns the base's resource if the overlay patches it, else nil.
func (p *pair) patchedBase() *yaml.Node {
	if p.isPatched() {
		return p.base
	}
	return nil
}

// isDroppedUpstream reports whether upstream dropped a resource that the fork kept.
func (p *pair) isDroppedUpstream() bool {
	return p.base == nil && p.versions[identity.Origin] != nil && p.versions[identity.Local] != nil
}

// isUnchanged reports whether base and fork have the same resource.
func (p *pair) isUnchanged() bool {
	return p.base != nil && p.fork != nil && merge.Same(p.base, p.source)
}

// patcher makes the patches of an overlay.
type patcher struct {
	strategic, json              *patch.Maker
	kustomizeSchema, mergeSchema *schema.Schema
}

func newPatcher(crds []*yaml.Node) patcher {
	return patcher{
		strategic: patch.New(patch.Options{Form: patch.Kustomize, CRDs: crds}), json: patch.New(patch.Options{Form: patch.JSON, CRDs: crds, Infer: true}),
		kustomizeSchema: schema.NewColumn(schema.StrategicMerge, schema.Trees(crds...)), mergeSchema: schema.New(nil, schema.Trees(crds...), false),
	}
}

// makePatch returns the patch of a resource that both have (rules/overlay: patches): a strategic
// one if kustomize knows the kind and the patch can express the change, else a JSON patch.
// unordered are the lists whose order differs from the fork's after the patch.
func (m patcher) makePatch(base, source *yaml.Node) (p patch.Patch, differs bool, unordered []string, err error) {
	t := yamlnode.MetaOf(base)
	if isKnownToKustomize(t) && !yamlnode.HasNull(base) && !yamlnode.HasNull(source) && !lacksKey(base) {
		if p, differs, err = m.makeStrategic(base, source); !errors.Is(err, patch.ErrInexpressible) {
			if err != nil {
				return p, differs, nil, err
			}
			c, err := compare(m.kustomizeSchema, base, source)
			return p, differs, reordered(c), err
		}
	}
	if unordered, err = m.reorderedLists(base, source); err != nil || unordered != nil {
		return p, false, unordered, err
	}
	p, differs, err = m.json.Make(base, source)
	return p, differs, nil, err
}

// reorderedLists returns the lists with keys that differ in their order only, if the resources do
// not differ otherwise; such resources need no patch.
func (m patcher) reorderedLists(base, source *yaml.Node) ([]string, error) {
	c, err := compare(m.mergeSchema, base, source)
	if err != nil || !differsOnlyInOrder(c) {
		return nil, err
	}
	return reordered(c), nil
}

func compare(s *schema.Schema, base, source *yaml.Node) (*merge.Comparison, error) {
	t := yamlnode.MetaOf(base)
	return merge.Compare(base, source, s.Resource(t.Group(), t.Version(), t.Kind))
}

// makeStrategic returns a strategic patch, which may rename the resource (rules/overlay: renamed resources).
func (m patcher) makeStrategic(base, source *yaml.Node) (p patch.Patch, differs bool, err error) {
	was, is := yamlnode.MetaOf(base), yamlnode.MetaOf(source)
	if was.Name == is.Name {
		return m.strategic.Make(base, source)
	}
	p, _, err = m.strategic.Make(base, yamlnode.Set(source, nil, yamlnode.Lookup(base, "metadata", "name"), "metadata", "name"))
	if err == nil && deletesOwnLabels(p.Node) {
		return p, false, patch.ErrInexpressible
	}
	p.Node = renamePatch(was, p.Node, is.Name)
	return p, true, err
}

// deletesOwnLabels reports whether a strategic patch deletes labels or annotations of the resource itself. Kustomize gives
// a patch with a target those of the resource, and makes the text "null" of a deletion.
func deletesOwnLabels(n *yaml.Node) bool {
	return slices.ContainsFunc([]string{"labels", "annotations"}, func(field string) bool {
		own := yamlnode.Lookup(n, "metadata", field)
		return own != nil && yamlnode.HasNull(own)
	})
}

// expandLists returns a package with the items of Lists in place of the Lists, as kustomize reads them.
func expandLists(p pkgmerge.Package) (pkgmerge.Package, error) {
	all, err := documentsOf(p)
	if err != nil {
		return p, err
	}
	files, found := slices.Clone(p.Files), false
	for i, f := range files {
		if !slices.ContainsFunc(all[f.Name], transform.IsList) {
			continue
		}
		found = true
		if files[i].Data, err = expandedText(all[f.Name]); err != nil {
			return p, err
		}
	}
	if !found {
		return p, nil
	}
	out, err := pkgmerge.NewPackage(files)
	out.Skipped, out.Source, out.Dir = p.Skipped, p.Source, p.Dir
	return out, err
}

// expandedText returns the text of documents with the items of Lists in place of the Lists.
func expandedText(documents []*yaml.Node) ([]byte, error) {
	var texts [][]byte
	for _, n := range documents {
		items := []*yaml.Node{n}
		if transform.IsList(n) {
			items = yamlnode.Elements(yamlnode.Field(n, "items"))
		}
		for _, item := range items {
			text, err := encode(item)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
	}
	return bytes.Join(texts, []byte("---\n")), nil
}

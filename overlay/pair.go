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

// pair is a resource as the base has it and as the fork does. Either may be nil.
type pair struct {
	base, fork *yaml.Node
	// source is what patches make of base before the transformers make fork of it.
	source *yaml.Node
	// anew says that the base's resource is deleted, and the fork's is a file.
	anew bool
	// called are the names by which kustomize knows it.
	called []string
	change *pkgmerge.Change
	// versions are what the overlay was made of.
	versions [3]*yaml.Node
}

// target names the resource as kustomize knows it: as the base does.
func (p *pair) target() yamlnode.Meta {
	if p.base != nil {
		return yamlnode.MetaOf(p.base)
	}
	return yamlnode.MetaOf(p.fork)
}

// byName pairs resources anew of which the fork calls one as the base calls another: kustomize
// has no two of one name, so who has the name is who is patched.
func byName(pairs []*pair) []*pair {
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

// withoutMergeComment is a resource without the comment by which a merge knows it again.
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
func (p *pair) isBuilt() bool { return p.fork != nil && !p.isDead() }

// isPatched reports whether the overlay makes the resource of the base's.
func (p *pair) isPatched() bool {
	if p.base == nil || p.fork == nil || p.anew {
		return false
	}
	was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.fork)
	return was.APIVersion == is.APIVersion && was.Kind == is.Kind
}

// patchedBase is the base's resource if the fork's is made of it, else nil.
func (p *pair) patchedBase() *yaml.Node {
	if p.isPatched() {
		return p.base
	}
	return nil
}

// isDead reports whether upstream dropped a resource that the fork changed.
func (p *pair) isDead() bool {
	return p.base == nil && p.versions[identity.Origin] != nil && p.versions[identity.Local] != nil
}

// same reports whether the base has the resource as the fork does.
func (p *pair) same() bool { return p.base != nil && p.fork != nil && merge.Same(p.base, p.source) }

// patcher makes the patches of an overlay.
type patcher struct {
	strategic, json *patch.Maker
	column, merging *schema.Schema
}

func newPatcher(crds []*yaml.Node) patcher {
	return patcher{
		strategic: patch.New(patch.Options{Form: patch.Kustomize, CRDs: crds}), json: patch.New(patch.Options{Form: patch.JSON, CRDs: crds, Infer: true}),
		column: schema.NewColumn(schema.StrategicMerge, schema.Trees(crds...)), merging: schema.New(nil, schema.Trees(crds...), false),
	}
}

// change is the patch of a resource that both have (rules/overlay: patches): a strategic one
// if kustomize knows the kind and the patch can say it, else a JSON patch. unordered are the
// lists that do not come out in the fork's order.
func (m patcher) change(base, source *yaml.Node) (p patch.Patch, differs bool, unordered []string, err error) {
	t := yamlnode.MetaOf(base)
	if knows(t) && !yamlnode.HasNull(base) && !yamlnode.HasNull(source) && !lacksKeys(base) {
		var unsayable *patch.Unsayable
		if p, differs, err = m.rename(base, source); !errors.As(err, &unsayable) {
			unordered, err = m.unordered(t, base, source, err)
			return p, differs, unordered, err
		}
	}
	if unordered, err = m.reordered(base, source); err != nil || unordered != nil {
		return p, false, unordered, err
	}
	p, differs, err = m.json.Make(base, source)
	return p, differs, nil, err
}

// reordered are the lists with keys in which alone the resources differ, and that by their
// order only: nobody needs a patch of it.
func (m patcher) reordered(base, source *yaml.Node) (found []string, err error) {
	t := yamlnode.MetaOf(base)
	c, err := merge.Compare(base, source, m.merging.Resource(t.Group(), t.Version(), t.Kind))
	if err != nil || !sameButOrder(c) {
		return nil, err
	}
	orders(c, func(at *merge.Path) { found = append(found, at.String()) })
	return found, nil
}

// rename is a strategic patch that may give the resource another name, too (rules/overlay:
// renamed resources).
func (m patcher) rename(base, source *yaml.Node) (p patch.Patch, differs bool, err error) {
	was, is := yamlnode.MetaOf(base), yamlnode.MetaOf(source)
	if was.Name == is.Name {
		return m.strategic.Make(base, source)
	}
	p, _, err = m.strategic.Make(base, yamlnode.Set(source, nil, yamlnode.Lookup(base, "metadata", "name"), "metadata", "name"))
	p.Node = renamed(was, p.Node, is.Name)
	return p, true, err
}

func (m patcher) unordered(t yamlnode.Meta, base, source *yaml.Node, err error) (found []string, _ error) {
	if err != nil {
		return nil, err
	}
	known := m.column.Resource(t.Group(), t.Version(), t.Kind)
	c, err := merge.Compare(base, source, known)
	if err == nil {
		orders(c, func(at *merge.Path) { found = append(found, at.String()) })
	}
	return found, err
}

// withoutLists is a package with the items of Lists in their place, as kustomize reads them.
func withoutLists(p pkgmerge.Package) (pkgmerge.Package, error) {
	all, err := documentsOf(p)
	if err != nil {
		return p, err
	}
	files, found := slices.Clone(p.Files), false
	for i, f := range files {
		if !slices.ContainsFunc(all[f.Name], transform.IsList) {
			continue
		}
		var texts [][]byte
		for _, n := range all[f.Name] {
			items := []*yaml.Node{n}
			if transform.IsList(n) {
				items = yamlnode.Elements(yamlnode.Field(n, "items"))
			}
			for _, item := range items {
				text, err := encode(item)
				if err != nil {
					return p, err
				}
				texts = append(texts, text)
			}
		}
		found = true
		files[i].Data = bytes.Join(texts, []byte("---\n"))
	}
	if !found {
		return p, nil
	}
	out, err := pkgmerge.NewPackage(files)
	out.Skipped, out.Source, out.Dir = p.Skipped, p.Source, p.Dir
	return out, err
}

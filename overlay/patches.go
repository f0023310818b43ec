package overlay

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
)

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

// change is the patch of a resource that both have: a strategic one if kustomize knows the
// kind and the patch can say it, else a JSON patch. unordered are the lists that do not
// come out in the fork's order.
func (m patcher) change(base, source *yaml.Node) (p patch.Patch, differs bool, unordered []string, err error) {
	t := patch.TargetOf(base)
	if knows(t) && !hasNull(base) && !hasNull(source) && !lacksKeys(base) {
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
	t := patch.TargetOf(base)
	c, err := merge.Compare(base, source, m.merging.Resource(identity.Group(t.APIVersion), identity.Version(t.APIVersion), t.Kind))
	if err != nil || !sameButOrder(c) {
		return nil, err
	}
	orders(c, func(at *merge.Path) { found = append(found, at.String()) })
	return found, nil
}

// rename is a strategic patch that may give the resource another name, too.
func (m patcher) rename(base, source *yaml.Node) (p patch.Patch, differs bool, err error) {
	was, is := patch.TargetOf(base), patch.TargetOf(source)
	if was.Name == is.Name {
		return m.strategic.Make(base, source)
	}
	p, _, err = m.strategic.Make(base, yamlnode.Set(source, nil, yamlnode.Lookup(base, "metadata", "name"), "metadata", "name"))
	p.Node = renamed(was, p.Node, is.Name)
	return p, true, err
}

func (m patcher) unordered(t patch.Target, base, source *yaml.Node, err error) (found []string, _ error) {
	if err != nil {
		return nil, err
	}
	known := m.column.Resource(identity.Group(t.APIVersion), identity.Version(t.APIVersion), t.Kind)
	c, err := merge.Compare(base, source, known)
	if err == nil {
		orders(c, func(at *merge.Path) { found = append(found, at.String()) })
	}
	return found, err
}

func hasNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" || slices.ContainsFunc(n.Content, hasNull)
}

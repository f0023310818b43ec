package admission

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Refusals are what a server would refuse of the result of an apply, as conflicts. live
// is nil of an object that is created. What live has already is no reason: a server took
// it. differences are those of merge.Differences between the two, made if they are asked
// for.
func Refusals(kind schema.Resource, live, result *yaml.Node, differences func() ([]merge.Difference, error)) ([]merge.Conflict, error) {
	strict := yamlnode.Text(yamlnode.Field(result, "kind")) == "StatefulSet"
	before, after := walk{strict: strict}, walk{strict: strict}
	before.value(kind.Type, nil, live)
	after.value(kind.Type, nil, result)
	found := slices.DeleteFunc(after.found, func(c merge.Conflict) bool {
		return slices.ContainsFunc(before.found, func(b merge.Conflict) bool {
			return b.Reason == c.Reason && b.Path.String() == c.Path.String() && merge.Same(b.Values[identity.Upstream], c.Values[identity.Upstream])
		})
	})
	for i := range found {
		found[i].Values[identity.Local] = valueAt(live, found[i].Path.Steps())
	}
	changed, err := immutable(kind, live, result, differences)
	return append(found, changed...), err
}

// Nulls are the nulls in config of a custom resource that a server refuses in a server-side
// apply, where it takes a null for a value: those in maps of strings (design 14).
func Nulls(kind schema.Resource, config *yaml.Node) []merge.Conflict {
	w := walk{nulls: true}
	w.value(kind.Type, nil, config)
	return w.found
}

// valueAt is the value at a path, nil if there is none.
func valueAt(n *yaml.Node, steps []merge.Step) *yaml.Node {
	for _, step := range steps {
		if step.Keys == nil {
			n = yamlnode.Field(n, step.Field)
			continue
		}
		elements := yamlnode.Elements(n)
		at := slices.IndexFunc(elements, func(e *yaml.Node) bool {
			return !slices.ContainsFunc(step.Keys, func(k merge.KeyValue) bool { return !merge.Same(yamlnode.Field(e, k.Name), k.Value) })
		})
		if at < 0 {
			return nil
		}
		n = elements[at]
	}
	return n
}

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
	had := map[[2]string][]merge.Conflict{}
	of := func(c merge.Conflict) [2]string { return [2]string{c.Path.String(), c.Reason} }
	for _, c := range before.found {
		had[of(c)] = append(had[of(c)], c)
	}
	found := slices.DeleteFunc(after.found, func(c merge.Conflict) bool {
		return slices.ContainsFunc(had[of(c)], func(b merge.Conflict) bool {
			return merge.Same(b.Values[identity.Upstream], c.Values[identity.Upstream])
		})
	})
	values := placedValues{}
	for i := range found {
		found[i].Values[identity.Local] = values.at(live, found[i].Path.Steps())
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

// placedValues finds values in an object, and notes the fields of its maps.
type placedValues map[*yaml.Node]func(name string) *yaml.Node

// at is the value at a path, nil if there is none.
func (p placedValues) at(n *yaml.Node, steps []merge.Step) *yaml.Node {
	for _, step := range steps {
		if n == nil {
			return nil
		}
		if step.Keys == nil {
			n = p.field(n, step.Field)
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

func (p placedValues) field(n *yaml.Node, name string) *yaml.Node {
	if p[n] == nil {
		p[n] = yamlnode.Fields(n)
	}
	return p[n](name)
}

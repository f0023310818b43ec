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
// it.
func Refusals(kind schema.Resource, live, result *yaml.Node) ([]merge.Conflict, error) {
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
	changed, err := immutable(kind, live, result)
	return append(found, changed...), err
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

// refusal is a conflict at a place of a result.
func refusal(at *merge.Path, value *yaml.Node, reason string) merge.Conflict {
	return merge.Conflict{
		Kind: merge.Refused, Path: at, Reason: reason, Chosen: identity.Upstream,
		Values: [3]*yaml.Node{identity.Upstream: value},
	}
}

// walk looks at an object by its type.
type walk struct {
	found []merge.Conflict
	// strict says that a rolling update excludes deletion by hand, as of a StatefulSet.
	strict bool
}

func (w *walk) value(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		w.scalar(typ, at, n)
	case yaml.MappingNode:
		w.unions(typ, at, n)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			w.value(typ.Part(name), at.Field(name), n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			w.value(typ.Element(), at.Element(keyOf(typ, c, i)), c)
		}
	}
}

// scalar finds a value that is no string in a map of strings.
func (w *walk) scalar(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ.Scalar != schema.String {
		return
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		w.found = append(w.found, refusal(at, n, "a number in a map of strings; quote it"))
	case "!!bool":
		w.found = append(w.found, refusal(at, n, "a boolean in a map of strings; quote it"))
	}
}

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
// apply, where it takes a null for a value: those in maps of strings
// (rules/server-side-apply: null).
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
	// nulls says to look for nulls in the place of strings, and for nothing else.
	nulls bool
}

func (w *walk) value(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		w.scalar(typ, at, n)
	case yaml.MappingNode:
		if !w.nulls {
			w.found = append(w.found, unions(typ, at, n, w.strict)...)
		}
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
	switch tag := n.ShortTag(); {
	case w.nulls && tag == "!!null":
		w.found = append(w.found, refusal(at, n, "a null in a map of strings of a custom resource"))
	case w.nulls:
	case tag == "!!int", tag == "!!float":
		w.found = append(w.found, refusal(at, n, "a number in a map of strings; quote it"))
	case tag == "!!bool":
		w.found = append(w.found, refusal(at, n, "a boolean in a map of strings; quote it"))
	}
}

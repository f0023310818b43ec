package admission

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// comparable is an object as a rule compares it: without what may change all the same,
// with the defaults that the server gives to absent fields, and without nulls and empty
// lists, which the server stores as if they were absent.
func comparable(object *yaml.Node, r schema.ImmutableRule) *yaml.Node {
	return edit(object, r.Path, func(field *yaml.Node) *yaml.Node {
		for _, path := range r.Except {
			field = edit(field, path, func(*yaml.Node) *yaml.Node { return nil })
		}
		for _, d := range r.Defaults {
			field = edit(field, d.Path, func(n *yaml.Node) *yaml.Node {
				if n != nil {
					return n
				}
				return &yaml.Node{Kind: yaml.ScalarNode, Value: d.Value}
			})
		}
		return withoutNothing(field)
	})
}

// withoutNothing is a value without the fields that have a null or an empty list.
func withoutNothing(n *yaml.Node) *yaml.Node {
	if n == nil || len(n.Content) == 0 {
		return n
	}
	out := *n
	out.Content = nil
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			out.Content = append(out.Content, withoutNothing(c))
		case i%2 == 1 && c.ShortTag() != "!!null" && (c.Kind != yaml.SequenceNode || len(c.Content) > 0):
			out.Content = append(out.Content, n.Content[i-1], withoutNothing(c))
		}
	}
	return &out
}

// edit is n with another value at a path, on copies of what leads there; change gets nil
// for a field that is absent, and nil from it is one that goes. Nothing is made on the way
// to the last field, and a map that loses its last field goes.
func edit(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	switch {
	case len(path) == 0:
		return change(n)
	case n == nil:
		return nil
	case path[0] == schema.AnyElement:
		return editEach(n, path[1:], change)
	case n.Kind != yaml.MappingNode:
		return n
	}
	name := path[0]
	value := edit(yamlnode.Field(n, name), path[1:], change)
	if value == nil {
		rest := yamlnode.Without(n, func(field string) bool { return field == name })
		if len(rest.Content) == 0 && len(n.Content) > 0 {
			return nil
		}
		return rest
	}
	return yamlnode.Put(n, nil, name, value)
}

// editEach edits each element of a list, or each value of a map.
func editEach(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	step, first := 1, 0
	if n.Kind == yaml.MappingNode {
		step, first = 2, 1
	}
	for i := first; i < len(out.Content); i += step {
		if v := edit(out.Content[i], path, change); v != nil {
			out.Content[i] = v
		}
	}
	return &out
}

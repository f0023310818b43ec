package admission

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// immutable finds changes of fields that are immutable once the object exists.
func immutable(kind schema.Resource, live, result *yaml.Node, differences func() ([]merge.Comparison, error)) ([]merge.Conflict, error) {
	rules := kind.Immutable()
	if live == nil || result == nil || len(rules) == 0 {
		return nil, nil
	}
	changed, err := differences()
	if err != nil {
		return nil, err
	}
	var out []merge.Conflict
	for _, r := range rules {
		isForbidden := func(d merge.Comparison) bool { return forbids(r, d) }
		if !r.If.Holds(live) || !slices.ContainsFunc(changed, isForbidden) {
			continue
		}
		found, err := merge.Differences(comparable(live, r), comparable(result, r), kind)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if isForbidden(d) {
				c := refusal(d.Path, d.To, strings.Join(r.Path, ".")+" is immutable")
				c.Values[identity.Local] = d.From
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// forbids reports whether a rule forbids a difference: at its field or below, or around it with another value there.
func forbids(r schema.ImmutableRule, d merge.Comparison) bool {
	steps, from, to := d.Path.Steps(), d.From, d.To
	for i, step := range steps[:min(len(steps), len(r.Path))] {
		if name := r.Path[i]; name != schema.AnyElement && (step.Keys != nil || name != step.Field) {
			return false
		}
	}
	if len(steps) < len(r.Path) {
		if from, to = lookup(from, r.Path[len(steps):]), lookup(to, r.Path[len(steps):]); merge.Same(from, to) {
			return false
		}
	}
	return !r.Both || len(steps) > len(r.Path) || from != nil && to != nil
}

// lookup follows names. It does not look into lists and maps of any name.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	if slices.Contains(names, schema.AnyElement) {
		return n
	}
	return yamlnode.Lookup(n, names...)
}

// comparable returns an object as a rule compares it: without the excepted fields, with the server's defaults for
// absent fields, and without nulls and empty lists, which the server stores as absent.
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
		return withoutEmpty(field)
	})
}

// withoutEmpty returns a value without the fields that have a null or an empty list.
func withoutEmpty(n *yaml.Node) *yaml.Node {
	if n == nil || len(n.Content) == 0 {
		return n
	}
	out := *n
	out.Content = nil
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			out.Content = append(out.Content, withoutEmpty(c))
		case i%2 == 1 && c.ShortTag() != "!!null" && (c.Kind != yaml.SequenceNode || len(c.Content) > 0):
			out.Content = append(out.Content, n.Content[i-1], withoutEmpty(c))
		}
	}
	return &out
}

// edit returns n with another value at a path, on copies. change gets nil for an absent field, and returns nil to
// remove the field. Nothing is created above the last field, and a map that loses its last field goes.
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
	if value := edit(yamlnode.Field(n, name), path[1:], change); value != nil {
		return yamlnode.Put(n, nil, name, value)
	}
	rest := yamlnode.Without(n, func(field string) bool { return field == name })
	if len(rest.Content) == 0 && len(n.Content) > 0 {
		return nil
	}
	return rest
}

// editEach edits each element of a list, or each value of a map.
func editEach(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range out.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if v := edit(c, path, change); v != nil {
			out.Content[i] = v
		}
	}
	return &out
}

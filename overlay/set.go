package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// set is a mapping with a value at a path of fields, whose maps are made where they are
// missing. v may be nil: then the field goes, and so do the maps that were made for it,
// those that was, which may be nil, does not have.
func set(n, was, v *yaml.Node, path ...string) *yaml.Node {
	if n == nil {
		n = yamlnode.EmptyMap()
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	name := path[0]
	if len(path) > 1 {
		inner := yamlnode.Field(n, name)
		if inner == nil && v == nil {
			return n
		}
		before := yamlnode.Field(was, name)
		if v = set(inner, before, v, path[1:]...); len(v.Content) == 0 && before == nil {
			v = nil
		}
	}
	if v == nil {
		return yamlnode.Without(n, func(field string) bool { return field == name })
	}
	return yamlnode.Put(n, was, name, v)
}

// each applies a change to the elements of a list. It is the same list if nothing changes.
func each(list *yaml.Node, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return list
	}
	out, same := *list, true
	out.Content = slices.Clone(list.Content)
	for i, e := range list.Content {
		out.Content[i] = change(e)
		same = same && out.Content[i] == e
	}
	if same {
		return list
	}
	return &out
}

// sequence is the list of a kustomization's field, made where it is missing.
func sequence(k *yaml.Node, name string) *yaml.Node {
	if list := yamlnode.Field(k, name); list != nil {
		return list
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	k.Content = append(k.Content, yamlnode.String(name), list)
	return list
}

// mapOf is a mapping of strings; a value that is "" is left out.
func mapOf(fields ...[2]string) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range fields {
		if f[1] != "" {
			out.Content = append(out.Content, yamlnode.String(f[0]), yamlnode.String(f[1]))
		}
	}
	return out
}

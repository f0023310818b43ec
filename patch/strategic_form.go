package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// strategic writes strategic merge patches, with each directive where apimachinery writes
// it (design 16.2), or as kustomize reads them.
type strategic struct{ form Form }

func (s strategic) unsayable(c *merge.Comparison, reason string) error {
	return &Unsayable{Form: s.form, Path: c.Path, Reason: reason}
}

func hasUnkeyed(c *merge.Comparison) bool {
	return slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return part.Unkeyed })
}

// keyOf has the fields by which an element is found: those of its key and, for
// kustomize, those that it finds elements by beside it.
func keyOf(of *merge.Comparison, element *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, name := range of.Keys {
		if v := yamlnode.Field(element, name); v != nil {
			entry(out, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: v.Tag, Value: v.Value, Style: v.Style})
		}
	}
	return out
}

// order lists the keys of the result's elements.
func order(c *merge.Comparison) *yaml.Node {
	out := list()
	for _, element := range c.To.Content {
		out.Content = append(out.Content, keyOf(c, element))
	}
	return out
}

// names lists the fields of a map, sorted.
func names(m *yaml.Node) *yaml.Node {
	out := list()
	for _, name := range slices.Sorted(slices.Values(yamlnode.Names(m))) {
		out.Content = append(out.Content, text(name))
	}
	return out
}

package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// replace has a list replaced whole, whose elements its key does not tell apart.
func (s strategic) replace(out *yaml.Node, c *merge.Comparison) error {
	if s.form != Strategic {
		return s.unsayable(c, "the key "+c.Keys[0]+" does not tell its elements apart")
	}
	if err := writable(s.form, c.Path, c.To); err != nil {
		return err
	}
	if isScattered(c.To.Content, c.Keys[0]) {
		return s.unsayable(c, "it brings together elements with the same "+c.Keys[0])
	}
	directive := yamlnode.EmptyMap()
	entry(directive, patchDirective, yamlnode.String("replace"))
	whole := value(c)
	whole.Content = slices.Concat([]*yaml.Node{directive}, whole.Content)
	put(out, c, whole)
	return nil
}

// lacksKey reports whether an element has no value, or a null, as its key.
func lacksKey(c *merge.Comparison) bool {
	lacks := func(n *yaml.Node) bool {
		v := yamlnode.Field(n, c.Keys[0])
		return v == nil || v.ShortTag() == "!!null"
	}
	return slices.ContainsFunc(c.From.Content, lacks) || slices.ContainsFunc(c.To.Content, lacks)
}

// isScattered reports whether elements of one key have others between them.
func isScattered(elements []*yaml.Node, key string) bool {
	closed := map[string]bool{}
	for i, e := range elements {
		is := yamlnode.Text(yamlnode.Field(e, key))
		if closed[is] {
			return true
		}
		if i+1 < len(elements) && yamlnode.Text(yamlnode.Field(elements[i+1], key)) != is {
			closed[is] = true
		}
	}
	return false
}

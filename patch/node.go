package patch

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

func null() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"} }

func list(elements ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: elements}
}

func integer(i int) string { return strconv.Itoa(i) }

// entry adds a field to a map.
func entry(m *yaml.Node, name string, v *yaml.Node) {
	m.Content = append(m.Content, yamlnode.String(name), v)
}

// put adds a field to a patch, under the result's key. A comment of the result that base
// does not have goes along.
func put(m *yaml.Node, c *merge.Comparison, v *yaml.Node) {
	key := c.ToKey
	if key == nil {
		key = &yaml.Node{Kind: yaml.ScalarNode, Tag: c.FromKey.Tag, Value: c.FromKey.Value, Style: c.FromKey.Style}
	}
	m.Content = append(m.Content, ownComments(key, c.FromKey), v)
}

// value is the result's value at a place, for a patch.
func value(c *merge.Comparison) *yaml.Node { return ownComments(c.To, c.From) }

// ownComments is n without the comments that base has there too (rules/patches: comments and
// text).
func ownComments(n, base *yaml.Node) *yaml.Node {
	out := *n
	if base == nil {
		return &out
	}
	if out.HeadComment == base.HeadComment {
		out.HeadComment = ""
	}
	if out.LineComment == base.LineComment {
		out.LineComment = ""
	}
	if out.FootComment == base.FootComment {
		out.FootComment = ""
	}
	return &out
}

// headComment is the comment above an element of the result that base does not have. It
// stands on the element or on its first field.
func headComment(c *merge.Comparison) string {
	above := func(n *yaml.Node) string {
		if n.HeadComment == "" && len(n.Content) > 0 {
			return n.Content[0].HeadComment
		}
		return n.HeadComment
	}
	if is := above(c.To); is != above(c.From) {
		return is
	}
	return ""
}

func isMap(n *yaml.Node) bool    { return n != nil && n.Kind == yaml.MappingNode }
func isScalar(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode }

// text is a text that is no boolean for those who read YAML 1.1, whatever it says.
func text(value string) *yaml.Node {
	n := yamlnode.String(value)
	if yamlnode.IsBooleanWord(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

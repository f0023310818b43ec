package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// withDefaults is a value in which the keys of all elements are written in full: n itself
// if they are.
func withDefaults(n *yaml.Node, typ *schema.Type) *yaml.Node {
	if n == nil || typ == nil || len(n.Content) == 0 {
		return n
	}
	out := n
	put := func(i int, v *yaml.Node) {
		if v == n.Content[i] {
			return
		}
		if out == n {
			changed := *n
			changed.Content = slices.Clone(n.Content)
			out = &changed
		}
		out.Content[i] = v
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			put(i+1, withDefaults(n.Content[i+1], typ.Field(n.Content[i].Value)))
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			put(i, withDefaults(fullKey(c, typ.Keys), typ.Element()))
		}
	}
	return out
}

// fullKey is an element with the parts of its key that are not written and have
// a default.
func fullKey(n *yaml.Node, keys []schema.Key) *yaml.Node {
	for _, key := range keys {
		part := defaultNode(key.Default)
		if part == nil || n == nil || n.Kind != yaml.MappingNode || strings.Contains(key.Name, ".") || yamlnode.Field(n, key.Name) != nil {
			continue
		}
		out := *n
		out.Content = append(slices.Clip(n.Content), defaultNode(key.Name), part)
		n = &out
	}
	return n
}

// defaultNode is a default of the schema as the node that it stands in for.
func defaultNode(v any) *yaml.Node {
	if v == nil {
		return nil
	}
	if text, ok := v.(string); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	}
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		return nil
	}
	return n
}

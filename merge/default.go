package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// unchanged reports whether a side has an element as origin has it. To write out a
// key's default is no change (DESIGN 3.3).
func (e *element) unchanged(side identity.Side) bool {
	o, s := e.value[origin], e.value[side]
	return e.same(o, s) || e.same(withDefaults(fullKey(o, e.keys), e.typ), withDefaults(fullKey(s, e.keys), e.typ))
}

// withDefaults is a value in which the keys of all elements are written in full.
func withDefaults(n *yaml.Node, typ *schema.Type) *yaml.Node {
	if n == nil || typ == nil || len(n.Content) == 0 {
		return n
	}
	out := *n
	out.Content = slices.Clone(n.Content)
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out.Content[i+1] = withDefaults(n.Content[i+1], typ.Field(n.Content[i].Value))
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			out.Content[i] = withDefaults(fullKey(c, typ.Keys), typ.Element())
		}
	}
	return &out
}

// fullKey is an element with the parts of its key that are not written and have
// a default.
func fullKey(n *yaml.Node, keys []schema.Key) *yaml.Node {
	for _, key := range keys {
		part := defaultNode(key.Default)
		if part == nil || n == nil || n.Kind != yaml.MappingNode || strings.Contains(key.Name, ".") || fieldOf(n, key.Name) != nil {
			continue
		}
		out := *n
		out.Content = append(slices.Clip(n.Content), defaultNode(key.Name), part)
		n = &out
	}
	return n
}

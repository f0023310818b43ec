package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// elementKey tells the elements of a list apart: the parts of an associative
// key, each with its decoded value.
type elementKey struct {
	text  string // comparable
	parts []KeyValue
}

// identify returns the key of a list's element, and whether it has one.
type identify func(*yaml.Node) (elementKey, bool)

// setKey makes an element of a set its own key: by its value, whatever kind it
// is of. A list or map shows in paths as the text that it is compared by.
func setKey(n *yaml.Node) (elementKey, bool) {
	text := canonical(n)
	if n.Kind != yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	}
	return elementKey{text: text, parts: []KeyValue{{Value: n}}}, true
}

// tupleKey reads the parts of a key from an element. A part that is absent has
// the schema's default, else absent is a value of the tuple; an element that
// lacks all parts, of which not all have a default, or is no map, has no key
// (design 4).
func tupleKey(n *yaml.Node, keys []schema.Key) (elementKey, bool) {
	k := elementKey{parts: make([]KeyValue, 0, len(keys))}
	var text strings.Builder
	found := n.Kind == yaml.MappingNode && !slices.ContainsFunc(keys, func(k schema.Key) bool { return k.Default == nil })
	for _, key := range keys {
		part := yamlnode.Lookup(n, strings.Split(key.Name, ".")...)
		if part != nil && part.Kind != yaml.ScalarNode {
			return elementKey{}, false
		}
		found = found || part != nil
		if part == nil {
			part = defaultNode(key.Default)
		}
		k.parts = append(k.parts, KeyValue{Name: key.Name, Value: part})
		if part != nil {
			text.WriteString(keyPart(valueOf(part)))
		}
		text.WriteByte(0)
	}
	k.text = text.String()
	return k, found
}

package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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

// identifier says how the elements of a list are told apart, and by which keys,
// in the order of their names; nil if they are not and the list is decided whole. Where the schema has no
// answer, the keys may be inferred from what the sides have (DESIGN 4.5).
func (c collator) identifier(e *element) (identify, []schema.Key) {
	relation, keys := schema.Granular, []schema.Key(nil)
	if e.typ != nil {
		relation, keys = e.typ.Relation, e.typ.Keys
	}
	lists := [3][]*yaml.Node{e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), e.parts(local, yaml.SequenceNode)}
	if relation == schema.Resources && c.areResources(lists) {
		return c.resourceKey, nil
	}
	if (relation == schema.Granular || relation == schema.Resources) && c.kind.Infer {
		keys = schema.InferKeys(lists[:]...)
	}
	if byName := func(x, y schema.Key) int { return strings.Compare(x.Name, y.Name) }; !slices.IsSortedFunc(keys, byName) {
		keys = slices.SortedFunc(slices.Values(keys), byName)
	}
	switch {
	case relation == schema.Functions:
		return pairFunctions(lists), nil
	case relation == schema.Set:
		return setKey, nil
	case len(keys) > 0:
		return func(n *yaml.Node) (elementKey, bool) { return tupleKey(n, keys) }, keys
	}
	return nil, nil
}

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
// (DESIGN 4).
func tupleKey(n *yaml.Node, keys []schema.Key) (elementKey, bool) {
	var k elementKey
	var text strings.Builder
	found := n.Kind == yaml.MappingNode && !slices.ContainsFunc(keys, func(k schema.Key) bool { return k.Default == nil })
	for _, key := range keys {
		part := lookup(n, strings.Split(key.Name, "."))
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

func keyPart(v value) string { return string(rune('a'+int(v.kind))) + v.text }

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

// lookup follows field names down through maps.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		n = fieldOf(n, name)
	}
	return n
}

// fieldOf is the value of a map's field, nil if it has none of that name.
func fieldOf(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name && m.Content[i].ShortTag() == "!!str" {
			return m.Content[i+1]
		}
	}
	return nil
}

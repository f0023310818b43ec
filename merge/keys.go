package merge

import (
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

// identifier says how the elements of a list of that type are told apart; nil
// if they are not and the list is decided whole.
func identifier(typ *schema.Type) identify {
	switch {
	case typ == nil:
		return nil
	case typ.Relation == schema.Set:
		return setKey
	case typ.Relation == schema.Keyed:
		return func(n *yaml.Node) (elementKey, bool) { return tupleKey(n, typ.Keys) }
	}
	return nil
}

// setKey makes an element of a set its own key.
func setKey(n *yaml.Node) (elementKey, bool) {
	if n.Kind != yaml.ScalarNode {
		return elementKey{}, false
	}
	v := valueOf(n)
	return elementKey{text: keyPart(v), parts: []KeyValue{{Value: n}}}, true
}

// tupleKey reads the parts of a key from an element. A part that is absent has
// the schema's default, else absent is a value of the tuple; an element that
// lacks all parts, or is no map, has no key (DESIGN 4).
func tupleKey(n *yaml.Node, keys []schema.Key) (elementKey, bool) {
	var k elementKey
	var text strings.Builder
	found := false
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

package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Same reports whether two values are equal as the merge sees them where no
// schema knows them, aliases followed. A value that could not be merged is the
// same as nothing.
func Same(a, b *yaml.Node) bool { return sameOf(nil, a, b) }

// sameOf is Same for values of a type of the schema.
func sameOf(typ *schema.Type, a, b *yaml.Node) bool {
	x, errX := prepare(a)
	y, errY := prepare(b)
	return errX == nil && errY == nil && same(typ, x, y)
}

// same reports whether two nodes are equal by kind, tag and decoded value, maps without regard to
// key order; style and comments do not count. nil is absent and same only as
// nil. The nodes have no aliases (prepare expands them) and no duplicate keys.
// Two exceptions, both because Kubernetes reads values so (design 3): a plain yes
// is not "yes", and what typ, which may be nil, calls a quantity is compared by
// the amount.
func same(typ *schema.Type, a, b *yaml.Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		if a.Tag == b.Tag && a.Value == b.Value && a.Style == b.Style {
			return true
		}
		return scalarValue(typ, a) == scalarValue(typ, b)
	case yaml.MappingNode:
		return sameMaps(typ, a, b)
	default:
		return sameLists(typ.Element(), a.Content, b.Content)
	}
}

// sameForm reports whether two nodes are of one kind, and of one tag if they are maps or lists: a
// tag such as !Sub is part of the value (design 3).
func sameForm(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && (a.Kind == yaml.ScalarNode || a.Tag == b.Tag || a.ShortTag() == b.ShortTag())
}

// sameLists compares elements of a type.
func sameLists(typ *schema.Type, a, b []*yaml.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(typ, a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameMaps compares maps of one length. Most have one order, so keys are first
// looked for at the same place.
func sameMaps(typ *schema.Type, a, b *yaml.Node) bool {
	var index map[value]*yaml.Node
	for i := 0; i+1 < len(a.Content); i += 2 {
		key := valueOf(a.Content[i])
		other := b.Content[i+1]
		if valueOf(b.Content[i]) != key {
			if index == nil {
				index = mapIndex(b)
			}
			other = index[key]
		}
		if other == nil || !same(typ.Part(a.Content[i].Value), a.Content[i+1], other) {
			return false
		}
	}
	return true
}

// mapIndex finds a map's values by key; a key that is no scalar is left out.
func mapIndex(m *yaml.Node) map[value]*yaml.Node {
	index := make(map[value]*yaml.Node, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		index[valueOf(m.Content[i])] = m.Content[i+1]
	}
	return index
}

// scalarValue is a scalar as values are compared.
func scalarValue(typ *schema.Type, n *yaml.Node) value {
	if isWord(n) {
		return value{kind: wordValue, text: n.Value}
	}
	v := valueOf(n)
	if typ != nil && typ.Scalar == schema.Quantity {
		return asAmount(v)
	}
	return v
}

// isWord reports whether a value is one of the plain words that yaml.v3 reads as
// strings and kubectl as booleans: y, yes, on, n, no, off.
func isWord(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if len(n.Value) == 0 || len(n.Value) > 3 || n.Style&quoted != 0 || n.ShortTag() != "!!str" {
		return false
	}
	switch strings.ToLower(n.Value) {
	case "y", "yes", "on", "n", "no", "off":
		return true
	}
	return false
}

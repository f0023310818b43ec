package merge

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// valueKind is the kind of a decoded scalar.
type valueKind int

const (
	nullValue valueKind = iota
	boolValue
	intValue
	floatValue
	stringValue
	taggedValue // a tag of its own: !!binary, !custom
)

// value is a decoded scalar in a comparable form (DESIGN 3): 0x1F is 31, 80 is
// not "80", timestamps are strings, style does not count.
type value struct {
	kind valueKind
	text string
}

func valueOf(n *yaml.Node) value {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return value{kind: nullValue, text: "null"}
	case "!!str", "!!timestamp", "!!merge":
		return value{kind: stringValue, text: n.Value}
	case "!!bool":
		return value{kind: boolValue, text: strings.ToLower(n.Value)}
	case "!!int", "!!float":
		if tag == "!!int" && isPlainInt(n.Value) {
			return value{kind: intValue, text: n.Value}
		}
		return numberOf(n)
	default:
		return value{kind: taggedValue, text: tag + " " + n.Value}
	}
}

// numberOf decodes a number; one that yaml cannot decode is compared as text.
func numberOf(n *yaml.Node) value {
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return value{kind: taggedValue, text: n.Tag + " " + n.Value}
	}
	if f, ok := decoded.(float64); ok {
		return value{kind: floatValue, text: strconv.FormatFloat(f, 'g', -1, 64)}
	}
	return value{kind: intValue, text: fmt.Sprint(decoded)}
}

// isPlainInt holds for a number that is written as it is compared: decimal,
// without a sign, and short enough for any integer.
func isPlainInt(text string) bool {
	if len(text) == 0 || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

func isNull(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// Same compares two values as the merge does, aliases followed. One that could
// not be merged is the same as nothing.
func Same(a, b *yaml.Node) bool {
	x, errX := prepare(a)
	y, errY := prepare(b)
	return errX == nil && errY == nil && same(x, y)
}

// same compares two nodes by kind and decoded value, maps without regard to
// key order; style and comments do not count. nil is absent and same only as
// nil. The nodes have no aliases (prepare expands them) and no duplicate keys.
func same(a, b *yaml.Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return a.Tag == b.Tag && a.Value == b.Value || valueOf(a) == valueOf(b)
	case yaml.MappingNode:
		return sameMaps(a, b)
	default:
		return sameLists(a.Content, b.Content)
	}
}

func sameLists(a, b []*yaml.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameMaps compares maps of one length. Most have one order, so keys are first
// looked for at the same place.
func sameMaps(a, b *yaml.Node) bool {
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
		if other == nil || !same(a.Content[i+1], other) {
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

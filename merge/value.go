package merge

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/quantity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// valueKind is the type of a decoded scalar.
type valueKind int

const (
	nullValue valueKind = iota
	boolValue
	intValue
	floatValue
	stringValue
	taggedValue // any other tag: !!binary, !custom
	wordValue   // a plain yes, no, on, off, y or n
	amountValue // a quantity
)

// value is a decoded scalar in a comparable form (rules/fields: equality): 0x1F is 31, 80 is not "80",
// timestamps are strings, style does not count. valueOf decodes keys, which are text whatever word they are,
// and scalarValue decodes values.
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
		if tag == "!!int" && isDecimal(n.Value) {
			return value{kind: intValue, text: n.Value}
		}
		return numberOf(n)
	default:
		return value{kind: taggedValue, text: tag + " " + n.Value}
	}
}

// numberOf decodes a number. An integer of more than 64 bits, which yaml decodes to a float, keeps all of its
// digits, and a number that yaml cannot decode is compared as text.
func numberOf(n *yaml.Node) value {
	if integer, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 10); ok && !integer.IsInt64() && !integer.IsUint64() {
		return value{kind: intValue, text: integer.String()}
	}
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return value{kind: taggedValue, text: n.Tag + " " + n.Value}
	}
	if f, ok := decoded.(float64); ok {
		return value{kind: floatValue, text: strconv.FormatFloat(f, 'g', -1, 64)}
	}
	return value{kind: intValue, text: fmt.Sprint(decoded)}
}

// isDecimal reports whether a number is in its canonical form already: decimal, without a sign, and short enough
// for any integer type.
func isDecimal(text string) bool {
	return text != "" && len(text) <= 18 && (text[0] != '0' || text == "0") && strings.Trim(text, "0123456789") == ""
}

func isString(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str"
}

// withText returns a string with another text in the style of n.
func withText(n *yaml.Node, text string) *yaml.Node {
	out := *n
	out.Value = text
	return &out
}

func keyPart(v value) string { return string(rune('a'+int(v.kind))) + v.text } // #nosec G115 -- there are few kinds

// isBare reports whether a value has no fields or elements.
func isBare(n *yaml.Node) bool { return n == nil || len(n.Content) == 0 }

// asAmount returns the value of a scalar that the schema calls a quantity, compared by its amount (rules/fields:
// equality): 1000m is 1 is "1", 0.5 is 500m, 1Ki is 1024. A scalar that is not a quantity is returned unchanged.
func asAmount(v value) value {
	switch v.kind {
	case intValue, floatValue, stringValue:
		if text, ok := quantity.Canonical(v.text); ok {
			return value{kind: amountValue, text: text}
		}
	}
	return v
}

// canonical returns a text that two nodes share if and only if they are equal.
func canonical(n *yaml.Node) string { return canonicalOf(nil, n) }

// canonicalOf is canonical for values of a type.
func canonicalOf(typ *schema.Type, n *yaml.Node) string {
	var b strings.Builder
	writeCanonical(&b, typ, n)
	return b.String()
}

func writeCanonical(b *strings.Builder, typ *schema.Type, n *yaml.Node) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode && tag != "!!map" && tag != "!!seq" {
		b.WriteString(escaped(value{kind: taggedValue, text: tag}))
	}
	switch n.Kind {
	case yaml.ScalarNode:
		b.WriteString(escaped(scalarValue(typ, n)))
	case yaml.MappingNode:
		writeCanonicalMap(b, typ, n)
	default:
		b.WriteByte('[')
		for _, c := range n.Content {
			writeCanonical(b, typ.Element(), c)
		}
		b.WriteByte(']')
	}
}

// escaped returns the text of a scalar with a terminator that the text does not contain.
func escaped(v value) string {
	return strings.ReplaceAll(strings.ReplaceAll(keyPart(v), `\`, `\\`), ",", `\,`) + ","
}

func writeCanonicalMap(b *strings.Builder, typ *schema.Type, n *yaml.Node) {
	var fields []string
	for key, v := range yamlnode.Pairs(n) {
		fields = append(fields, escaped(valueOf(key))+canonicalOf(typ.Part(key.Value), v))
	}
	slices.Sort(fields)
	b.WriteString("{" + strings.Join(fields, "") + "}")
}

package merge

import (
	"fmt"
	"math/big"
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
	wordValue   // a plain yes, no, on, off, y or n
	amountValue // a quantity
)

// value is a decoded scalar in a comparable form (design 3): 0x1F is 31, 80 is
// not "80", timestamps are strings, style does not count. valueOf makes that of
// a key, which is text whatever word it is; scalarValue that of a value.
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

// numberOf decodes a number; one that yaml cannot decode is compared as text. An integer of more than
// 64 bits, which yaml makes a float of, keeps all of its digits.
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

// isDecimal reports whether a number is written as it is compared: decimal,
// without a sign, and short enough for any integer.
func isDecimal(text string) bool {
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

// hasNull reports whether there is a null anywhere, which may be a deletion.
func hasNull(n *yaml.Node) bool {
	if isNull(n) {
		return true
	}
	for _, c := range n.Content {
		if hasNull(c) {
			return true
		}
	}
	return false
}

func isString(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str"
}

// withText is a string with another text, written as n is.
func withText(n *yaml.Node, text string) *yaml.Node {
	out := *n
	out.Value = text
	return &out
}

func keyPart(v value) string { return string(rune('a'+int(v.kind))) + v.text } // #nosec G115 -- there are few kinds

// isBare reports whether a value has no parts.
func isBare(n *yaml.Node) bool { return n == nil || len(n.Content) == 0 }

package merge

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
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

// value is a decoded scalar in a comparable form (rules/fields: equality): 0x1F is 31,
// 80 is not "80", timestamps are strings, style does not count. valueOf makes that of a
// key, which is text whatever word it is; scalarValue that of a value.
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

// maxAmount is the longest quantity that is read, in bytes; one that is longer
// is text.
const maxAmount = 64

// asAmount is a scalar that the schema calls a quantity as it is compared, by the
// amount (rules/fields: equality): 1000m is 1 is "1", 0.5 is 500m, 1Ki is 1024. What is
// no quantity stays what it is.
func asAmount(v value) value {
	switch v.kind {
	case intValue, floatValue, stringValue:
		if text, ok := amount(v.text); ok {
			return value{kind: amountValue, text: text}
		}
	}
	return v
}

// amount reads a quantity as Kubernetes writes them: a decimal number with a
// suffix n u m k M G T P E, Ki to Ei, or a decimal exponent. What it returns is
// alike for equal amounts: the digits from the first to the last that is not
// 0, and their exponent of ten. It is never written out, whatever the exponent.
func amount(text string) (string, bool) {
	if len(text) > maxAmount {
		return "", false
	}
	sign, rest := "", text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	end := 0
	for end < len(rest) && (rest[end] == '.' || '0' <= rest[end] && rest[end] <= '9') {
		end++
	}
	whole, fraction, _ := strings.Cut(rest[:end], ".")
	digits := whole + fraction
	ten, two, ok := scale(rest[end:])
	if !ok || digits == "" || strings.Contains(fraction, ".") {
		return "", false
	}
	if two > 0 {
		n, _ := new(big.Int).SetString(digits, 10)
		digits = n.Lsh(n, two).String()
	}
	ten -= len(fraction)
	digits = strings.TrimLeft(digits, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0", true
	}
	return sign + significant + "e" + strconv.Itoa(ten+len(digits)-len(significant)), true
}

// scale is a suffix as a power of ten and one of two, and whether it is one.
func scale(suffix string) (ten int, two uint, ok bool) {
	if suffix == "" {
		return 0, 0, true
	}
	if letter, binary := strings.CutSuffix(suffix, "i"); binary {
		at := strings.Index("KMGTPE", letter)
		return 0, 10 * uint(at+1), len(letter) == 1 && at >= 0
	}
	if len(suffix) == 1 {
		at := strings.Index("num kMGTPE", suffix)
		return 3 * (at - 3), 0, at >= 0 && suffix != " "
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return 0, 0, false
	}
	exponent, err := strconv.ParseInt(suffix[1:], 10, 32)
	return int(exponent), 0, err == nil
}

// canonical is a text that nodes share if and only if they are the same.
func canonical(n *yaml.Node) string { return canonicalOf(nil, n) }

// canonicalOf is canonical for nodes of a type.
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

// escaped is a scalar with an end that is nowhere in it.
func escaped(v value) string {
	return strings.ReplaceAll(strings.ReplaceAll(keyPart(v), `\`, `\\`), ",", `\,`) + ","
}

func writeCanonicalMap(b *strings.Builder, typ *schema.Type, n *yaml.Node) {
	var fields []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		fields = append(fields, escaped(valueOf(n.Content[i]))+canonicalOf(typ.Part(n.Content[i].Value), n.Content[i+1]))
	}
	slices.Sort(fields)
	b.WriteByte('{')
	for _, f := range fields {
		b.WriteString(f)
	}
	b.WriteByte('}')
}

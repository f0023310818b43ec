package managed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// decode reads one JSON value; numbers keep their text.
func decode(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("%q is more than one value", text)
	}
	return v, nil
}

// encode writes a value as compact JSON, with sorted keys.
func encode(v any) string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return "null" // decode and fromYAML return only values with JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// JSON returns a YAML value as a server writes it: compact, with sorted keys.
func JSON(n *yaml.Node) string { return encode(fromYAML(n)) }

// CanonicalText returns one text for all spellings of a value.
func CanonicalText(n *yaml.Node) string { return canonicalText(fromYAML(n)) }

func canonicalText(v any) string {
	if number, is := v.(json.Number); is {
		if exact, ok := new(big.Rat).SetString(number.String()); ok {
			return exact.RatString()
		}
	}
	return encode(v)
}

// fromYAML returns a YAML value as decode would return it from JSON.
func fromYAML(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return fromYAML(n.Alias)
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for key, value := range yamlnode.Pairs(n) {
			m[key.Value] = fromYAML(value)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, fromYAML(c))
		}
		return list
	}
	return fromScalar(n)
}

// fromScalar returns a YAML scalar as JSON has it. A value that JSON lacks, such as a timestamp, is its text.
func fromScalar(n *yaml.Node) any {
	var v any
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if n.Decode(&v) != nil {
			return n.Value
		}
		if b, is := v.(bool); is {
			return b
		}
		if text, err := json.Marshal(v); err == nil {
			return json.Number(text)
		}
	}
	return n.Value
}

// rank orders values of different kinds: numbers, strings, false, true, lists, maps, null.
func rank(v any) int {
	switch v {
	case false:
		return 2
	case true:
		return 3
	}
	switch v.(type) {
	case json.Number:
		return 0
	case string:
		return 1
	case []any:
		return 4
	case map[string]any:
		return 5
	}
	return 6
}

// compareValues orders values as a server does.
func compareValues(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case json.Number:
		return compareNumbers(a, b.(json.Number))
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return slices.CompareFunc(a, b.([]any), compareValues)
	case map[string]any:
		return compareMaps(a, b.(map[string]any))
	}
	return 0
}

func compareNumbers(a, b json.Number) int {
	if a == b {
		return 0
	}
	x, okX := new(big.Rat).SetString(a.String())
	y, okY := new(big.Rat).SetString(b.String())
	if !okX || !okY {
		return strings.Compare(a.String(), b.String())
	}
	return x.Cmp(y)
}

// compareMaps compares entry by entry, in the order of the keys.
func compareMaps(a, b map[string]any) int {
	x, y := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	for i := range min(len(x), len(y)) {
		if c := cmp.Or(strings.Compare(x[i], y[i]), compareValues(a[x[i]], b[y[i]])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// quote quotes the name of a JSON field as a server does here: only quotes, backslashes and control characters are
// escaped.
func quote(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package managed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decode reads one JSON value; numbers stay as they are written.
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
		return "null" // decode and ofNode make nothing that has no JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// JSON is a YAML value as a server writes it: compact, with sorted keys.
func JSON(n *yaml.Node) string { return encode(ofNode(n)) }

// ofNode is a YAML value as JSON has it.
func ofNode(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.AliasNode:
		return ofNode(n.Alias)
	case n.Kind == yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = ofNode(n.Content[i+1])
		}
		return m
	case n.Kind == yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, ofNode(c))
		}
		return list
	}
	return ofScalar(n)
}

// ofScalar is a YAML scalar as JSON has it. What JSON does not have, such as a
// timestamp, is its text.
func ofScalar(n *yaml.Node) any {
	var v any
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err == nil {
			if text, err := json.Marshal(v); err == nil {
				return plainNumber(v, text)
			}
		}
	}
	return n.Value
}

// plainNumber is a bool as it is, and a number by its JSON text.
func plainNumber(v any, text []byte) any {
	if b, ok := v.(bool); ok {
		return b
	}
	return json.Number(text)
}

// rank orders values of different kinds: numbers, strings, bools, lists, maps, null.
func rank(v any) int {
	switch v.(type) {
	case json.Number:
		return 0
	case string:
		return 1
	case bool:
		return 2
	case []any:
		return 3
	case map[string]any:
		return 4
	}
	return 5
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
	case bool:
		return compareBools(a, b.(bool))
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

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
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

// quote writes the name of a field of JSON as a server does here, which escapes
// quotes, backslashes and control characters only.
func quote(name string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

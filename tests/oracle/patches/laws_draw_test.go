package patches

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// mixed is a version that has some of each of two, nested maps and lists mixed too.
func mixed(t *rapid.T, a, b any) any {
	x, isMap := a.(object)
	y, areMaps := b.(object)
	if isMap && areMaps {
		return mixedMap(t, x, y)
	}
	l, isList := a.([]any)
	m, areLists := b.([]any)
	if isList && areLists {
		return mixedList(t, l, m)
	}
	if rapid.IntRange(0, 2).Draw(t, "other") == 0 {
		return b
	}
	return a
}

func mixedMap(t *rapid.T, a, b object) object {
	out := object{}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		other, both := b[name]
		if both {
			out[name] = mixed(t, a[name], other)
		} else if isFixed(name) || rapid.IntRange(0, 4).Draw(t, "gone") < 4 {
			out[name] = a[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, both := a[name]; !both && (isFixed(name) || rapid.Bool().Draw(t, "new")) {
			out[name] = b[name]
		}
	}
	return out
}

func isFixed(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

func mixedList(t *rapid.T, a, b []any) []any {
	out := []any{}
	for i, e := range a {
		switch rapid.IntRange(0, 6).Draw(t, "element") {
		case 6:
		case 0, 1:
			if i < len(b) {
				e = mixed(t, e, b[i])
			}
			fallthrough
		default:
			out = append(out, e)
		}
	}
	for _, e := range b {
		if rapid.IntRange(0, 3).Draw(t, "added") == 0 {
			out = slices.Insert(out, rapid.IntRange(0, len(out)).Draw(t, "at"), e)
		}
	}
	if len(out) > 1 && rapid.IntRange(0, 4).Draw(t, "reorder") == 0 {
		out = rapid.Permutation(out).Draw(t, "order")
	}
	return out
}

// sayable is a value without nulls, what looks like a directive, and what no resource of
// kustomize may have: a field without a name or called as a merge key, and a tab before lines.
func sayable(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for name, inner := range v {
			if inner != nil && name != "" && name != "<<" && !strings.HasPrefix(name, "$") {
				out[name] = sayable(inner)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			if e != nil {
				out = append(out, sayable(e))
			}
		}
		return out
	case string:
		return strings.TrimLeft(v, "\t")
	}
	return v
}

// written is a value as nodes, in drawn styles.
func written(t *rapid.T, v any) *yaml.Node {
	switch v := v.(type) {
	case object:
		out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: flow(t)}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out.Content = append(out.Content, writtenText(t, name), written(t, v[name]))
		}
		return out
	case []any:
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: flow(t)}
		for _, e := range v {
			out.Content = append(out.Content, written(t, e))
		}
		return out
	case string:
		return writtenText(t, v)
	case float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(v, 'g', -1, 64)}
	}
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		t.Fatal(err)
	}
	return &n
}

func flow(t *rapid.T) yaml.Style {
	if rapid.IntRange(0, 5).Draw(t, "flow") == 0 {
		return yaml.FlowStyle
	}
	return 0
}

// writtenText is a text in quotes or not, as it may be read of a file.
func writtenText(t *rapid.T, text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	n.Style = rapid.SampledFrom([]yaml.Style{0, 0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle}).Draw(t, "style")
	if strings.Contains(text, "\n") && rapid.Bool().Draw(t, "block") {
		n.Style = yaml.LiteralStyle
	}
	if n.Style == 0 && isWord(text) {
		n.Style = yaml.DoubleQuotedStyle // plain, it is a boolean
	}
	return n
}

func isWord(text string) bool {
	return slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(text))
}

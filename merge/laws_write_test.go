package merge

import (
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// writer writes objects in the style of people: names that occur in practice, some values quoted, some lists and maps
// in flow style, some comments, nulls and repeated elements.
type writer struct {
	drawer
	nulls bool // in maps of origin only: elsewhere they would be new
}

// node writes a value. If old, which may be nil, has the same value, it is written like old.
func (w writer) node(v any, old *yaml.Node) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		return w.mapping(v, old)
	case []any:
		return w.list(v, old)
	}
	n := w.scalar(v)
	if old != nil && same(nil, n, old) {
		return clone(old)
	}
	w.comment(n)
	return n
}

func (w writer) scalar(v any) *yaml.Node {
	n := &yaml.Node{}
	if text, isText := v.(string); isText {
		n.SetString(w.realistic(text))
		if w.IntN(4) == 0 && n.Style == 0 {
			n.Style = []yaml.Style{yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle}[w.IntN(3)]
		}
		return n
	}
	if err := n.Encode(v); err != nil {
		panic(err)
	}
	if number, isNumber := v.(int); isNumber && w.IntN(8) == 0 {
		n.Value = "0x" + strconv.FormatInt(int64(number), 16)
	}
	return n
}

// realistic returns a name or text from practice for each text of a drawer. Half of the texts of several lines have
// some changed lines.
func (w writer) realistic(text string) string {
	if text == "q" && w.IntN(2) == 0 {
		return w.lines()
	}
	names := map[string]string{
		"a": "web", "b": "sidecar-proxy", "c": "on", "d.e/f": "app.kubernetes.io/part-of",
		"p": "nginx:1.27", "q": "first line\nsecond line\n", "1": "0644",
	}
	if name, known := names[text]; known {
		return name
	}
	return text
}

// lines returns a script of some lines. Now and then a line differs, is missing, or is repeated.
func (w writer) lines() string {
	out := "#!/bin/sh\n" // yaml.v3 writes an empty first line wrongly
	for _, line := range []string{"set -e", "cd /srv", "", "run --port=80", "wait", "done"} {
		switch w.IntN(12) {
		case 0:
			line += " # or not"
		case 1:
			continue
		case 2:
			out += line + "\n"
		}
		out += line + "\n"
	}
	return out
}

// comment sometimes writes a comment above a node or at the end of its line.
func (w writer) comment(n *yaml.Node) {
	texts := []string{"# kpt-set: ${image}", "# the pager was too eager", "# see above:\n# - twice"}
	switch w.IntN(12) {
	case 0:
		n.HeadComment = texts[w.IntN(3)]
	case 1:
		if n.Style&yaml.LiteralStyle == 0 && len(n.Content) == 0 {
			n.LineComment = texts[w.IntN(2)]
		}
	}
}

// mapping writes a map: its old fields in their order, and the new ones anywhere among them. An old null stays.
func (w writer) mapping(v map[string]any, old *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: w.style()}
	left := map[string]string{}
	for name := range v {
		left[w.realistic(name)] = name
	}
	if old != nil && old.Kind == yaml.MappingNode {
		out.Style = old.Style
		for i := 0; i+1 < len(old.Content); i += 2 {
			key, value := old.Content[i], old.Content[i+1]
			if name, has := left[key.Value]; has {
				out.Content = append(out.Content, clone(key), w.node(v[name], value))
				delete(left, key.Value)
			} else if yamlnode.IsNull(value) {
				out.Content = append(out.Content, clone(key), clone(value))
			}
		}
	} else if w.nulls && w.IntN(12) == 0 {
		left["creationTimestamp"] = "" // v has no such name: null
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		key := w.scalar(name)
		key.Style &^= yaml.LiteralStyle
		value := w.node(v[left[name]], nil)
		w.comment(key)
		key.LineComment = ""
		at := w.IntN(len(out.Content)/2+1) * 2
		out.Content = slices.Insert(out.Content, at, key, value)
	}
	return out
}

// style returns flow style every now and then.
func (w writer) style() yaml.Style {
	if w.IntN(6) == 0 {
		return yaml.FlowStyle
	}
	return 0
}

// list writes a list, each element like the old one that is equal, else like the old one at its index. Rarely, the
// last element is repeated.
func (w writer) list(v []any, old *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: w.style()}
	if old != nil && old.Kind == yaml.SequenceNode {
		out.Style = old.Style
	}
	for i, element := range v {
		out.Content = append(out.Content, w.node(element, w.counterpart(element, i, old)))
	}
	if len(v) > 0 && w.IntN(30) == 0 {
		out.Content = append(out.Content, clone(out.Content[len(v)-1]))
	}
	return out
}

// counterpart returns the element of an old list whose style an element copies.
func (w writer) counterpart(element any, at int, old *yaml.Node) *yaml.Node {
	if old == nil || old.Kind != yaml.SequenceNode {
		return nil
	}
	plain := w.node(element, nil)
	for _, other := range old.Content {
		if same(nil, plain, other) {
			return other
		}
	}
	if at < len(old.Content) {
		return old.Content[at]
	}
	return nil
}

package mergecheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar is a value, a plain yes told from "yes".
func scalar(n *yaml.Node) string {
	if word(n) {
		return "the word " + n.Value
	}
	return text(n)
}

// text is a decoded scalar, strings quoted. 0x1F is 31, 80 is not "80".
func text(n *yaml.Node) string {
	tag := n.ShortTag()
	if tag == "!!str" || tag == "!!timestamp" || tag == "!!merge" {
		return strconv.Quote(n.Value)
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return tag + " " + n.Value
	}
	if digits := strings.TrimLeft(n.Value, "+-"); tag == "!!float" && strings.Trim(digits, "0123456789") == "" {
		return n.Value // an integer of more than 64 bits
	}
	if tag == "!!float" {
		return fmt.Sprintf("%v (float)", v)
	}
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}

// whole is a value with all its content, maps sorted.
func whole(n *yaml.Node, scalar func(*yaml.Node) string) string {
	var parts []string
	for _, b := range below(n) {
		part := whole(b.value, scalar)
		if b.key != nil {
			part = whole(b.key, text) + ":" + part
		}
		parts = append(parts, part)
	}
	switch n.Kind {
	case yaml.MappingNode:
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}" + ownTag(n)
	case yaml.SequenceNode:
		return "[" + strings.Join(parts, ",") + "]" + ownTag(n)
	}
	return scalar(n)
}

// label is an element as paths write it: by its key, or by its value if it has none, or a map
// or list in it.
func label(n *yaml.Node, keys []Key) string {
	if len(keys) > 0 && keys[0].Name == identified {
		return resourceLabel(n)
	}
	var parts []string
	found := len(keys) > 0 && n.Kind == yaml.MappingNode && !slices.Contains(defaults(keys), "")
	for _, k := range keys {
		part := n
		for _, name := range strings.Split(k.Name, ".") {
			part = field(part, name)
		}
		switch {
		case part != nil && part.Kind != yaml.ScalarNode:
			return "[=" + whole(n, scalar) + "]"
		case part != nil:
			found = true
			parts = append(parts, k.Name+"="+whole(part, text))
		case k.Default != "":
			parts = append(parts, k.Name+"="+strconv.Quote(k.Default))
		}
	}
	if !found {
		return "[=" + whole(n, scalar) + "]"
	}
	slices.Sort(parts)
	return "[" + strings.Join(parts, ",") + "]"
}

// defaults are the values of a key in an element that lacks all of it.
func defaults(keys []Key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.Default)
	}
	return out
}

// resourceLabel is a resource in a list as paths write it: by kind, namespace and
// name.
func resourceLabel(n *yaml.Node) string {
	var parts []string
	for _, name := range []string{"kind", "namespace", "name"} {
		from := n
		if name != "kind" {
			from = field(n, "metadata")
		}
		if v := textOf(field(from, name)); v != "" {
			parts = append(parts, name+"="+strconv.Quote(v))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// textOf is the text of a scalar, "" if there is none.
func textOf(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// step is a field as paths write it below a path.
func step(path string, key *yaml.Node) string {
	odd := func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r)
	}
	if key.Value == "" || strings.ContainsFunc(key.Value, odd) {
		return "[" + strconv.Quote(key.Value) + "]"
	}
	if path == "" {
		return key.Value
	}
	return "." + key.Value
}

// field is a scalar, map or list in a map, nil if it has none of that name.
func field(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, b := range below(n) {
		if b.key.Value == name {
			return b.value
		}
	}
	return nil
}

// written is a value as a document writes it: an alias is its name.
func written(n *yaml.Node) string {
	if n.Alias != nil {
		return "*" + n.Alias.Anchor
	}
	var parts []string
	for _, b := range below(n) {
		part := written(b.value)
		if b.key != nil {
			part = written(b.key) + ":" + part
		}
		parts = append(parts, part)
	}
	if n.Kind == yaml.ScalarNode {
		return scalar(n)
	}
	return fmt.Sprintf("%q%s", parts, ownTag(n))
}

// plain is a copy without anchors, with aliases and merge keys written out. The copy of an
// alias names what it stands for.
func plain(n *yaml.Node) *yaml.Node {
	out := *n
	if n.Kind == yaml.AliasNode {
		out = *withoutComments(plain(n.Alias))
		out.Alias = n.Alias
		out.HeadComment, out.LineComment, out.FootComment = n.HeadComment, n.LineComment, n.FootComment
		return &out
	}
	out.Content = nil
	for i, c := range n.Content {
		if i%2 == 0 && n.Kind == yaml.MappingNode && c.Tag == "!!merge" {
			out.Content = append(out.Content, merged(n, plain(n.Content[i+1]))...)
		} else if i%2 == 0 || n.Kind != yaml.MappingNode || n.Content[i-1].Tag != "!!merge" {
			out.Content = append(out.Content, plain(c))
		}
	}
	return &out
}

// withoutComments is a copy without comments: they stand at the anchor, and an alias does not
// say them (rules/comments-and-text: anchors and aliases).
func withoutComments(n *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = "", "", ""
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = withoutComments(c)
	}
	return &out
}

// merged are the entries that a merge key brings into a map.
func merged(into, from *yaml.Node) []*yaml.Node {
	sources := []*yaml.Node{from}
	if from.Kind == yaml.SequenceNode {
		sources = from.Content
	}
	var out []*yaml.Node
	for _, m := range sources {
		for _, b := range below(m) {
			if field(into, b.key.Value) == nil && field(&yaml.Node{Kind: yaml.MappingNode, Content: out}, b.key.Value) == nil {
				out = append(out, b.key, b.value)
			}
		}
	}
	return out
}

package pkgmerge

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// asKubectl reads YAML as kubectl does, which knows version 1.1: a plain yes, no, on, off,
// y or n is a boolean (design 13.1). Comments go, and collections are in block style.
type asKubectl struct {
	words []string
}

// tree is a copy of a tree without aliases.
func (k *asKubectl) tree(n *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = "", "", ""
	out.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode {
		if value, is := boolean(n); is {
			k.words = append(k.words, n.Value)
			out.Tag, out.Value, out.Style = "!!bool", value, 0
		}
		return &out
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = k.tree(c)
		if n.Kind == yaml.MappingNode && i%2 == 0 && out.Content[i].Tag == "!!bool" { // JSON has text for keys
			out.Content[i].Tag, out.Content[i].Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	return &out
}

// boolean is what kubectl makes of a plain word.
func boolean(n *yaml.Node) (value string, is bool) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if n.Style&quoted != 0 || n.ShortTag() != "!!str" {
		return "", false
	}
	switch lower := strings.ToLower(n.Value); {
	case n.Value != lower && n.Value != strings.ToUpper(n.Value) && n.Value != strings.ToUpper(lower[:1])+lower[1:]:
	case lower == "y", lower == "yes", lower == "on":
		return "true", true
	case lower == "n", lower == "no", lower == "off":
		return "false", true
	}
	return "", false
}

// asFault reports whether an error is the Fault of a version.
func asFault(err error, fault **merge.Fault) bool { return errors.As(err, fault) }

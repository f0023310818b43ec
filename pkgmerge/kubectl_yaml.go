package pkgmerge

import (
	"errors"
	"strconv"
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
		k.scalar(&out)
		return &out
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = k.tree(c)
		if key := out.Content[i]; n.Kind == yaml.MappingNode && i%2 == 0 && key.ShortTag() != "!!str" { // JSON has text for keys
			key.Tag, key.Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	return &out
}

// scalar makes of a scalar what kubectl has of it: a plain word is a boolean, an integer is
// decimal, and a timestamp is text.
func (k *asKubectl) scalar(n *yaml.Node) {
	if value, is := boolean(n); is {
		k.words = append(k.words, n.Value)
		n.Tag, n.Value, n.Style = "!!bool", value, 0
	}
	switch n.ShortTag() {
	case "!!timestamp":
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case "!!int":
		var number int64
		if n.Decode(&number) == nil {
			n.Value = strconv.FormatInt(number, 10)
		}
	}
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

package patch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

func null() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"} }

func list(elements ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: elements}
}

// text returns a string that is no boolean in YAML 1.1 either.
func text(value string) *yaml.Node { return quoted(yamlnode.String(value)) }

// plain returns a scalar without its comments.
func plain(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.Tag, Value: n.Value, Style: n.Style}
}

// entry adds a field to a map.
func entry(m *yaml.Node, name string, v *yaml.Node) {
	m.Content = append(m.Content, yamlnode.String(name), v)
}

// put adds a field to a patch, with the result's key and its new comments.
func put(m *yaml.Node, c *merge.Comparison, v *yaml.Node) {
	key := c.ToKey
	if key == nil {
		key = plain(c.FromKey)
	}
	m.Content = append(m.Content, newComments(key, c.FromKey), v)
}

// value returns the result's value for a patch.
func value(c *merge.Comparison) *yaml.Node { return newComments(c.To, c.From) }

// newComments returns n without the comments that base has too (rules/patches: comments and text).
func newComments(n, base *yaml.Node) *yaml.Node {
	out := *n
	if base == nil {
		return &out
	}
	drop := func(comment *string, old string) {
		if *comment == old {
			*comment = ""
		}
	}
	drop(&out.HeadComment, base.HeadComment)
	drop(&out.LineComment, base.LineComment)
	drop(&out.FootComment, base.FootComment)
	return &out
}

// headComment returns the comment above an element of the result, or above its first field, if base does not have it.
func headComment(c *merge.Comparison) string {
	above := func(n *yaml.Node) string {
		if n.HeadComment == "" && len(n.Content) > 0 {
			return n.Content[0].HeadComment
		}
		return n.HeadComment
	}
	if comment := above(c.To); comment != above(c.From) {
		return comment
	}
	return ""
}

func isMap(n *yaml.Node) bool    { return n != nil && n.Kind == yaml.MappingNode }
func isScalar(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode }

// quoted returns a value with quotes around the strings that YAML 1.1 reads as booleans: kustomize
// reads the y of a JSON patch as true.
func quoted(n *yaml.Node) *yaml.Node {
	return withStyle(n, yaml.DoubleQuotedStyle, func(n *yaml.Node) bool { return n.Style == 0 && yamlnode.IsBooleanWord(n.Value) })
}

// withStyle returns a copy with the strings that need it in a style.
func withStyle(n *yaml.Node, style yaml.Style, needs func(*yaml.Node) bool) *yaml.Node {
	out := *n
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && needs(n) {
		out.Style = style
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = withStyle(c, style, needs)
	}
	return &out
}

// YAML encodes the patch as a document that kubectl and kustomize read with the same values
// (rules/patches: comments and text). It returns an error if there is no such document.
func (p Patch) YAML() ([]byte, error) { return encode(p.Node) }

// withFeet returns a copy in which the comment at the end of a map is that of its last key, behind which the encoder writes
// it: that of the map itself it would write into the field below.
func withFeet(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = withFeet(c)
	}
	if last := len(out.Content) - 2; n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && last >= 0 {
		key := out.Content[last]
		key.FootComment, out.FootComment = yamlnode.JoinComments("\n\n", key.FootComment, n.FootComment), ""
	}
	return &out
}

// encode tries the document in its own style, then with its folded blocks as literal ones, to whose indented lines the
// encoder adds nothing, then with all strings in quotes.
func encode(n *yaml.Node) (text []byte, err error) {
	isFolded := func(n *yaml.Node) bool { return n.Style&yaml.FoldedStyle != 0 }
	isAny := func(*yaml.Node) bool { return true }
	n = withFeet(n)
	for _, styled := range [3]*yaml.Node{n, withStyle(n, yaml.LiteralStyle, isFolded), withStyle(n, yaml.DoubleQuotedStyle, isAny)} {
		text, err = encodeNode(withStyle(styled, yaml.DoubleQuotedStyle, isMisread))
		if err == nil && hasValues(text, n) {
			return text, nil
		}
	}
	return nil, cmp.Or(err, errNoText)
}

var errNoText = errors.New("no YAML document has these values")

func encodeNode(n *yaml.Node) (text []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", errNoText, cause)
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(n); err != nil {
		return nil, err
	}
	err = encoder.Close()
	return b.Bytes(), err
}

// hasValues reports whether a text is a document with the values of n.
func hasValues(text []byte, n *yaml.Node) bool {
	var document yaml.Node
	return yaml.Unmarshal(text, &document) == nil && len(document.Content) == 1 && merge.Same(n, document.Content[0])
}

// isMisread reports whether the encoder would write a string of several lines as a block that is read differently.
func isMisread(n *yaml.Node) bool {
	return strings.Contains(n.Value, "\n") && (strings.IndexAny(n.Value[:1], " \t\n\r") == 0 || strings.HasSuffix(n.Value, "\n\n"))
}

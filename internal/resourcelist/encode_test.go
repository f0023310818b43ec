package resourcelist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestEncodeParsed has items that yaml.v3 alone would write with another value or comment, or not as YAML, unless
// noted.
func TestEncodeParsed(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"folded with leading spaces", "- a: >\n    x\n      y\n    z\n", "- a: \"x\\n  y\\nz\\n\"\n"},
		{"merge key", "- a: &x {b: c}\n  d:\n    <<: *x\n", "- a: &x {b: c}\n  d:\n    <<: *x\n"},
		{"merge key in quotes is none", "- \"<<\": x\n", "- \"<<\": x\n"},
		{"comment on a key with a flow value", "- a: # b\n    {c: d}\n  e:\n    f: g\n", "- a: {c: d} # b\n  e:\n    f: g\n"},
		{"comment on a key with an empty value", "- env: # c\n    []\n  x: # d\n    {}\n", "- env: [] # c\n  x: {} # d\n"},
		{"comment on a key with an alias", "- x: &y z\n  a: # b\n    *y\n", "- x: &y z\n  a: *y # b\n"},
		{"comment beside an anchor", "- a: &x # b\n    c: d\n", "- # b\n  a: &x\n    c: d\n"},
		{"comment above a value", "- a:\n    # b\n    c\n  d: e\n", "- a: c # b\n  d: e\n"},
		{"null in a flow mapping", "- {a: , b: ~, c}\n", "- {a: null, b: ~, c: null}\n"},
		// These are right already.
		{"comments in a flow mapping", "- a: {b: c, # d\n      e: f} # g\n", "- a: {b: c, # d\n    e: f} # g\n"},
		{"comments in a flow sequence", "- a: [b, # c\n      # d\n      e]\n", "- a: [b, # c\n    # d\n    e]\n"},
		{"comment at the end of a flow mapping", "- a: [{b: c, # d\n      }]\n", "- a: [{b: c, # d\n}]\n"},
		{"comment on null", "- a: # b\n  c: d\n", "- a: # b\n  c: d\n"},
		{"words of YAML 1.1", "- [\"on\", on, 0x1f, 1_000, ~, '~', \"\", 2001-01-01, !!str 5, 0o7, .inf]\n", ""},
		{"literal with an indicator", "- a: |2\n      \tx\n", "- a: |2\n      \tx\n"},
		{"literal with trailing spaces", "- a: |\n    x \n    y\n", "- a: |\n    x \n    y\n"},
		{"literal with lines of spaces", "- a: |\n    x  \n      \n    y\n", "- a: |\n    x  \n      \n    y\n"},
		{"literal that keeps", "- a: |+\n    x\n\n", "- a: |+\n    x\n\n"},
		{"own tags", "- a: !x {b: !y c}\n", "- a: !x {b: !y c}\n"},
		{"key that is a list", "- ? [a]\n  : b\n", "- ? [a]\n  : b\n"},
		{"duplicate keys", "- a: b\n  a: c\n", "- a: b\n  a: c\n"},
		{"alias cycle", "- a: &x {b: *x}\n", "- a: &x {b: *x}\n"},
		{"head comment of the item", "# a\n- b: c\n", "# a\n- b: c\n"},
		{"head comment of the first key", "- # a\n  b: c\n", "- # a\n  b: c\n"},
		{"foot comments", "- a:\n    b: c\n    # d\n  f: g\n  # e\n", "- a:\n    b: c\n    # d\n  f: g\n  # e\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" {
				test.input = strings.Replace(test.input, "- ", "- a: ", 1)
				test.want = test.input
			}
			node, err := parseItem([]byte(test.input))
			if err != nil {
				t.Fatal(err)
			}
			checkEncoded(t, node, test.want)
		})
	}
}

// TestEncodeStrings has strings that could be taken for something else.
func TestEncodeStrings(t *testing.T) {
	styles := []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle, yaml.TaggedStyle}
	for _, value := range []string{
		"", " ", "  x", "x  ", "\t", "\tx", "x\t", "\n", "\n\n", "x\n", "x\n\n", "\nx", "\n\n  x", " \n", "x\n  y\nz", "x\n\ty",
		"on", "off", "yes", "0x1f", "1_000", "1:30", "~", "null", "true", "3", "1e3", "2001-01-01", "=", "<<", "-", "- x", "?", ": x", "x: y", "x #y",
		"#", "# x", "&x", "*x", "!x", "%x", "@x", "`x`", "{", "]", ",", "'", "\"", "\\", "\\u0041", "---", "...", "--- x\n...\n",
		"\r", "x\ry", "x\r\ny", "\u0085", "x\u0085y", "\u2028", "x\u2029y", "\uFEFFx", "\uFEFF😀", "\u00a0", "é", "😀", "\u0001", "\u007f", "\ufffd",
		strings.Repeat("long ", 100), strings.Repeat("x", 2000), strings.Repeat("x\n", 10) + "  y",
	} {
		for _, style := range styles {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: style}
			node := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
				yamlnode.String("a"), key,
				yamlnode.String("b"), {Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{key, key}},
				yamlnode.String("c"), {Kind: yaml.SequenceNode, Content: []*yaml.Node{key, yamlnode.String("d")}},
			}}
			checkEncoded(t, node, "")
		}
	}
}

// TestEncodeNoText: a value that YAML cannot hold is an error and does not become another value.
func TestEncodeNoText(t *testing.T) {
	node := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlnode.String("kind"), yamlnode.String("A"), yamlnode.String("a"), yamlnode.String("\xff")}}
	err := Empty().Write(&strings.Builder{}, []*Item{NewItem(node)}, nil)
	want := "item 1, a A: no YAML text found that reads back as the merged value"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEncodeComments has comments in places where a merge may put them.
func TestEncodeComments(t *testing.T) {
	c := func(n *yaml.Node, head, line, foot string) *yaml.Node {
		n.HeadComment, n.LineComment, n.FootComment = head, line, foot
		return n
	}
	seq := func(style yaml.Style, content ...*yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: yaml.SequenceNode, Style: style, Content: content}
	}
	item := func(content ...*yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: yaml.MappingNode, Content: content}
	}
	flow := yaml.FlowStyle
	tests := []struct {
		name string
		node *yaml.Node
		want string
	}{
		{"no hash", item(c(yamlnode.String("a"), "x", "", ""), c(yamlnode.String("b"), "", "y", "")), "- # x\n  a: b # y\n"},
		{"line comment of several lines", item(yamlnode.String("a"), c(yamlnode.String("b"), "", "# x\n# y", "")), "- a: b # x # y\n"},
		{"line comments on key and value", item(c(yamlnode.String("a"), "", "# x", ""), c(yamlnode.String("b"), "", "# y", "")), "- a: b # x # y\n"},
		{"value became a block", item(yamlnode.String("a"), c(seq(0, yamlnode.String("b")), "", "# x", "")), "- a: # x\n  - b\n"},
		{"value became empty", item(c(yamlnode.String("a"), "", "# x", ""), seq(0)), "- a: [] # x\n"},
		{"key with an anchor below", item(c(yamlnode.String("a"), "", "# x", ""), &yaml.Node{Kind: yaml.SequenceNode, Anchor: "y", Content: []*yaml.Node{yamlnode.String("b")}}), "- # x\n  a: &y\n  - b\n"},
		{"key is a list", item(seq(0), c(seq(0, yamlnode.String("b")), "", "# x", "")), "- # x\n  []:\n  - b\n"},
		{"block in flow", item(yamlnode.String("a"), seq(flow, c(seq(0, c(yamlnode.String("b"), "# x", "", "# y")), "", "# z", "# w"))), ""},
		{"two feet", item(c(yamlnode.String("a"), "", "", "# x"), c(yamlnode.String("b"), "", "", "# y"), yamlnode.String("c"), yamlnode.String("d")), "- a: b\n  # y\n  # x\n\n  c: d\n"},
		{"line comment on an element", item(yamlnode.String("a"), seq(0, c(seq(0, yamlnode.String("b")), "", "# x", ""))), "- a:\n  - # x\n    - b\n"},
		{"flow item", &yaml.Node{Kind: yaml.MappingNode, Style: flow, Content: []*yaml.Node{yamlnode.String("a"), c(item(yamlnode.String("b"), yamlnode.String("c")), "", "# x", ""), yamlnode.String("d"), yamlnode.String("e")}}, ""},
		{"in the last place", item(yamlnode.String("a"), yamlnode.String("b"), c(yamlnode.String("c"), "", "", "# x\n\n# y"), yamlnode.String("d")), "- a: b\n  c: d\n  # x\n\n  # y\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { checkEncoded(t, test.node, test.want) })
	}
}

func TestEncodeDeepFlow(t *testing.T) {
	deep := "{a: " + strings.Repeat("[", 5000) + "\"\\u00a0\"" + strings.Repeat("]", 5000) + "}"
	node, err := parseItem([]byte("- " + deep + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	node.Content[0].LineComment = "# x"
	text, err := manifest.EncodeItem(node, false, 0)
	if err != nil || len(text) > 2*len(deep) {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
}

func TestIndentation(t *testing.T) {
	for _, text := range []string{
		"- a:\n  - b\n  c:\n    - d\n",
		"- a: []\n  x:\n    a: {b: [c]}\n    c:\n    - - d\n",
	} {
		checkLayout(t, text, false)
	}
	for _, text := range []string{
		"- a:\n    - b\n",
		"- x: &x\n  - a\n  y:\n    - a\n",
	} {
		checkLayout(t, text, true)
	}
}

func checkLayout(t *testing.T, text string, want bool) {
	node, err := parseItem([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if manifest.IsWide(node) != want {
		t.Errorf("%q: got %v, want %v", text, manifest.IsWide(node), want)
	}
}

// TestEncodeKeepsComments is the law for comments of rules/comments-and-text: encoded fields, as far as possible: no
// change of values and styles loses a comment.
func TestEncodeKeepsComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, err := readWhole([]byte(listText(t, true)))
		if err != nil {
			t.Fatal(err)
		}
		parseAll(t, list)
		node := changed(t, rapid.SampledFrom(list.Items).Draw(t, "item").Node)
		text, err := manifest.EncodeItem(node, rapid.Bool().Draw(t, "wide"), 0)
		if err != nil {
			t.Fatal(err)
		}
		for comment, count := range manifest.CommentLines(node) {
			if strings.Count(string(text), comment) < count {
				t.Fatalf("%q is lost\n%s", comment, text)
			}
		}
	})
}

// TestEncodeAnyNode is the law for values of rules/comments-and-text: encoded fields, for nodes that no parser
// produces.
func TestEncodeAnyNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlnode.String("a"), anyNode(t, 3), anyNode(t, 1), anyNode(t, 3)}}
		checkEncoded(t, node, "")
	})
}

// anyNode draws a node with any text, style and comments.
func anyNode(t *rapid.T, depth int) *yaml.Node {
	comment := func() string {
		return rapid.SampledFrom([]string{"", "", "", "", "", "# x", "x", "# x\n# y", "# x\n\n# y"}).Draw(t, "comment")
	}
	n := &yaml.Node{HeadComment: comment(), LineComment: comment(), FootComment: comment()}
	n.Kind = rapid.SampledFrom([]yaml.Kind{yaml.ScalarNode, yaml.SequenceNode, yaml.MappingNode}).Draw(t, "kind")
	n.Anchor = rapid.SampledFrom([]string{"", "", "", "", "x"}).Draw(t, "anchor")
	if n.Kind == yaml.ScalarNode || depth == 0 {
		n.Kind = yaml.ScalarNode
		return anyScalar(t, n)
	}
	n.Style = rapid.SampledFrom([]yaml.Style{0, 0, yaml.FlowStyle}).Draw(t, "style")
	for range rapid.IntRange(0, 3).Draw(t, "length") {
		n.Content = append(n.Content, anyNode(t, depth-1))
		if n.Kind == yaml.MappingNode {
			n.Content = append(n.Content, anyNode(t, depth-1))
		}
	}
	return n
}

// anyScalar gives n a value.
func anyScalar(t *rapid.T, n *yaml.Node) *yaml.Node {
	if rapid.IntRange(0, 3).Draw(t, "type") == 0 {
		value := rapid.SampledFrom([][2]string{{"!!null", ""}, {"!!null", "~"}, {"!!int", "1_0"}, {"!!bool", "true"}, {"!!float", ".inf"}, {"!!merge", "<<"}}).Draw(t, "value")
		n.Tag, n.Value = value[0], value[1]
		return n
	}
	pieces := []string{"a", " ", "\n", "\t", "#", ": ", "- ", "\"", "'", "{", "]", ",", "&", "*", "!", "|", ">", "%", "@", "\\", "é", "\u2028", "\u0085", "\r", "\uFEFF", "😀", "\x01", "---", "on", "<<", strings.Repeat("x", 150)}
	n.Tag = "!!str"
	n.Value = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "text"), "")
	n.Style = rapid.SampledFrom([]yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}).Draw(t, "style")
	return n
}

// checkEncoded encodes node, checks that the text reads as the same values and
// that node was not changed, and compares the text if want is not empty.
func checkEncoded(t rapid.TB, node *yaml.Node, want string) {
	t.Helper()
	before := yamlnode.Clone(node)
	text, err := manifest.EncodeItem(node, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want != "" && string(text) != want {
		t.Error(cmp.Diff(want, string(text)))
	}
	again, err := parseItem(text)
	if err != nil || !compareValues(node, again) {
		t.Fatalf("it reads as something else: %v\n%s", err, text)
	}
	if !manifest.IsSame(before, node) {
		t.Error("the node was changed")
	}
}

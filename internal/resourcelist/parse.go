package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// normalize turns CRLF to LF, as kyaml's reader does, and takes off a byte order mark of UTF-8.
func normalize(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if isUTF16(data) || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// parse parses data as one document. The documents that are empty, as after a last
// `---`, don't count. The errors are in rules/input: bad input.
func parse(data []byte) (doc *yaml.Node, err error) {
	if doc := manifest.ParseJSON(data); doc != nil {
		return doc, nil
	}
	defer recovered(&err)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		next := new(yaml.Node)
		switch err = decoder.Decode(next); {
		case errors.Is(err, io.EOF) && doc == nil:
			return nil, errors.New("the input is empty: expected a ResourceList")
		case errors.Is(err, io.EOF):
			return doc, nil
		case err != nil:
			return nil, fmt.Errorf("the input is not YAML: %s", WithoutAnchor(strings.TrimPrefix(err.Error(), "yaml: ")))
		case len(next.Content) == 0 || next.Content[0].Kind == yaml.ScalarNode && next.Content[0].Value == "":
		case doc != nil:
			return nil, fmt.Errorf("line %d: a second YAML document: expected one ResourceList", next.Content[0].Line)
		default:
			doc = next
		}
	}
}

// reread is parse for a text that was written just now: plain text in which nothing can be a comment needs no parser.
func reread(text []byte) (*yaml.Node, error) {
	if bytes.IndexByte(text, '#') < 0 {
		if root := manifest.DocumentTree(text); root != nil {
			return &yaml.Node{Kind: yaml.DocumentNode, Line: root.Line, Column: root.Column, Content: []*yaml.Node{root}}, nil
		}
	}
	return parse(text)
}

// WithoutAnchor is a parser's error without the name of an anchor that is not
// there: it may be a password that begins with a star and has no quotes.
func WithoutAnchor(text string) string {
	const unknown = "unknown anchor"
	if before, _, found := strings.Cut(text, unknown); found {
		return before + unknown + " referenced: a value that begins with * needs quotes"
	}
	return text
}

// parseRaw is the whole document, with the comments where yaml.v3 puts them.
func parseRaw(data []byte) (doc *yaml.Node, err error) {
	defer recovered(&err)
	doc = new(yaml.Node)
	if err = yaml.Unmarshal(data, doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("no document")
	}
	return doc, nil
}

// recovered turns a panic into an error: yaml.v3 has states that it takes to be impossible, and says so by a panic.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("yaml: %v", cause)
	}
}

// parseItem parses the text of one item. In the node, the text's first line has number 1. It is an error if text is
// more or less than one item that is a mapping.
func parseItem(text []byte) (*yaml.Node, error) {
	t, err := readItem(text)
	if err != nil {
		return nil, err
	}
	return t.Root(), nil
}

func readItem(text []byte) (*manifest.Text, error) {
	if hasDocumentMarker(text) {
		return nil, errors.New("not one document")
	}
	return manifest.Item(text)
}

// nextItem is an item that follows, whatever it is.
func nextItem(column int) string {
	return strings.Repeat(" ", column) + "- {}\n"
}

// onlyMapping returns the mapping that is the one item of list, apart from one that follows.
func onlyMapping(list *yaml.Node, follow string) (*yaml.Node, error) {
	count := 1
	if follow != "" {
		count = 2
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) != count || list.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not one mapping")
	}
	return list.Content[0], nil
}

// yaml.v3 double-quotes a literal block in which a line ends with a space, and makes one line of a whole embedded
// file. So such spaces are written as a character that the item does not have, and put back in the text.

// markTrailingSpaces returns n with a mark for each space that ends a line of a literal
// block, on a copy, and the mark; n itself and "" if there is none.
func markTrailingSpaces(n *yaml.Node) (*yaml.Node, string) {
	found := false
	walk(n, func(n *yaml.Node) { found = found || endsLineWithSpace(n) })
	if !found {
		return n, ""
	}
	mark := freeMark(n)
	if mark == "" {
		return n, ""
	}
	spaces := regexp.MustCompile(`(?m) +$`)
	n = yamlnode.Clone(n)
	walk(n, func(n *yaml.Node) {
		if endsLineWithSpace(n) {
			n.Value = spaces.ReplaceAllStringFunc(n.Value, func(run string) string { return strings.Repeat(mark, len(run)) })
		}
	})
	return n, mark
}

// unmarkTrailingSpaces puts the spaces back.
func unmarkTrailingSpaces(text []byte, mark string) []byte {
	if mark == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(mark), []byte(" "))
}

// endsLineWithSpace holds for a literal block with a space before a line break.
// One that ends with a space and no line break is left to be quoted.
func endsLineWithSpace(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0 && strings.Contains(n.Value, " \n")
}

// freeMark returns a private-use character that nothing in n has, "" if it has all that are tried.
func freeMark(n *yaml.Node) string {
	for mark := '\uE000'; mark < '\uE010'; mark++ {
		taken := false
		walk(n, func(n *yaml.Node) {
			for _, text := range []string{n.Value, n.HeadComment, n.LineComment, n.FootComment, n.Tag} {
				taken = taken || strings.ContainsRune(text, mark)
			}
		})
		if !taken {
			return string(mark)
		}
	}
	return ""
}

// emptyList returns the node of `[]`.
func emptyList() *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
}

// position returns the index in mapping's content of the first key of that name, or -1. The value is the node after it.
func position(mapping *yaml.Node, name string) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name {
			return i
		}
	}
	return -1
}

// scalar returns the text of a scalar field, "" if there is none.
func scalar(mapping *yaml.Node, name string) string {
	if value := yamlnode.Field(mapping, name); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// tagOf returns the short tag of n. That of a plain `<<` is the merge tag, which
// yaml.v3 forgets when it works the tag out.
func tagOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Tag == "" && n.Value == "<<" {
		return "!!merge"
	}
	return n.ShortTag()
}

// walk calls visit for n and everything below it, keys before their values.
// Aliases are visited and not followed, so cycles do no harm.
func walk(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, child := range n.Content {
		walk(child, visit)
	}
}

// depth returns how deep n is nested; a scalar has depth 1.
func depth(n *yaml.Node) int {
	deepest := 0
	for _, child := range n.Content {
		deepest = max(deepest, depth(child))
	}
	return deepest + 1
}

// isMarked tells whether n is a block collection with an anchor or a tag.
func isMarked(n *yaml.Node) bool {
	return yamlnode.IsBlock(n) && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0)
}

// kindName says what n is, for an error.
func kindName(n *yaml.Node) string {
	switch yamlnode.Resolve(n).Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "null"
	}
	return "a scalar"
}

// resourceName says which resource n is, for an error: "Deployment web (apps/v1)", or "a mapping without a kind".
func resourceName(n *yaml.Node) string {
	words := []string{"a mapping without a kind"}
	if kind := scalar(n, "kind"); kind != "" {
		words = []string{"a", kind}
	}
	if metadata := yamlnode.Field(n, "metadata"); metadata != nil && scalar(metadata, "name") != "" {
		words = append(words, scalar(metadata, "name"))
	}
	if version := scalar(n, "apiVersion"); version != "" {
		words = append(words, "("+version+")")
	}
	return strings.Join(words, " ")
}

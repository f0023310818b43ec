package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
)

// normalize turns CRLF to LF, as kyaml's reader does, and takes off a byte order
// mark of UTF-8.
func normalize(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if isUTF16(data) || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// parse parses data as one document. The documents that are empty, as after a
// last `---`, don't count. Errors are those of design 8.
func parse(data []byte) (doc *yaml.Node, err error) {
	if doc := plainyaml.JSON(data); doc != nil {
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

// reread is parse for a text that was written just now: plain text in which nothing can
// be a comment needs no parser.
func reread(text []byte) (*yaml.Node, error) {
	if bytes.IndexByte(text, '#') < 0 {
		if root := plainyaml.DocumentTree(text); root != nil {
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

// recovered turns a panic into an error: yaml.v3 has states that it takes to be
// impossible, and says so by a panic.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("yaml: %v", cause)
	}
}

// parseItem parses the text of one item. In the node, the text's first line has
// number 1. It is an error if text is more or less than one item that is a
// mapping.
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

// onlyMapping returns the mapping that is the one item of list, apart from one
// that follows.
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

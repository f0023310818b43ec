package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// normalize turns CRLF to LF, as kyaml's reader does, and removes a byte order mark of UTF-8.
func normalize(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if isUTF16(data) || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// parse parses data as one document. Empty documents, such as after a last `---`, don't count. The errors are in
// rules/input: bad input.
func parse(data []byte) (doc *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
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

// WithoutAnchor removes the name of a missing anchor from a parser's error: it may be a password that begins with a
// star and has no quotes.
func WithoutAnchor(text string) string {
	const unknown = "unknown anchor"
	if before, _, found := strings.Cut(text, unknown); found {
		return before + unknown + " referenced: a value that begins with * needs quotes"
	}
	return text
}

// parseRaw returns the root of a document, with the comments where yaml.v3 puts them.
func parseRaw(data []byte) (root *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	doc := new(yaml.Node)
	if err = yaml.Unmarshal(data, doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("no document")
	}
	return doc.Content[0], nil
}

// parseItem parses the text of one item. In the node, the first line of text has number 1. It is an error if text is
// not exactly one item that is a mapping.
func parseItem(text []byte) (*yaml.Node, error) {
	t, err := manifest.Item(text)
	if err != nil {
		return nil, err
	}
	return t.Root(), nil
}

// firstMapping returns the first item of a list of count items. It is an error if that is no mapping, or the list has
// another number of items.
func firstMapping(list *yaml.Node, count int) (*yaml.Node, error) {
	if list.Kind != yaml.SequenceNode || len(list.Content) != count || list.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not one mapping")
	}
	return list.Content[0], nil
}

// emptyList returns the node of `[]`.
func emptyList() *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
}

// position returns the index of the key with a name in mapping's content, or -1. The value is the node after it.
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

// kindName names the kind of n, for an error.
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

// resourceName describes the resource n for an error: "Deployment web (apps/v1)", or "a mapping without a kind".
func resourceName(n *yaml.Node) string {
	meta, words := yamlnode.MetaOf(n), []string{"a mapping without a kind"}
	if meta.Kind != "" {
		words = []string{"a", meta.Kind}
	}
	if meta.Name != "" {
		words = append(words, meta.Name)
	}
	if meta.APIVersion != "" {
		words = append(words, "("+meta.APIVersion+")")
	}
	return strings.Join(words, " ")
}

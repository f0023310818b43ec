package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Text is the text of one resource: an item of a list, with its dash and its
// indentation, or a document.
type Text struct {
	bytes []byte
	root  *yaml.Node
	// top is a list with the resource as its only element. It has no places where
	// the text is YAML but not understood: then the resource is encoded.
	top  *place
	item bool
	// broken says that the last line has no line break of its own.
	broken bool
	eol    string
	// marked says that there are anchors, aliases or merge keys.
	marked bool
	json   bool
	// kyaml says that the resource is in brackets, laid out as KYAML is.
	kyaml bool
	// inList says that the text is an element of a list in brackets, and margin is
	// the white space that its first line begins with there.
	inList bool
	margin string
}

// Item reads the text of one item of a list: lines that begin with comments or
// the dash. It is an error if text is not YAML, or not one mapping.
//
// The nodes of plain text are made without the YAML parser (rules/reading: skimming).
// What the parser says of comments is never asked for where the places are known, so
// both ways give the same.
func Item(text []byte) (*Text, error) {
	if list := Tree(text); list != nil {
		t := &Text{bytes: text, eol: "\n", item: true, root: list.Content[0]}
		return t.scanned(list)
	}
	return parsedItem(text)
}

// parsedItem is Item by the YAML parser.
func parsedItem(text []byte) (*Text, error) {
	t, list, err := read(text)
	if err != nil {
		return nil, err
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) != 1 {
		return nil, errors.New("not one item")
	}
	t.item, t.root = true, list.Content[0]
	return t.scanned(list)
}

// Document reads the text of one document, with its marker or without. It is an
// error if text is not YAML, or not one mapping.
//
// As of an item, the nodes of plain text are made without the YAML parser.
func Document(text []byte) (*Text, error) {
	if root := DocumentTree(text); root != nil {
		t := &Text{bytes: text, eol: "\n", root: root}
		return t.scanned(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{root}})
	}
	return parsedDocument(text)
}

// parsedDocument is Document by the YAML parser.
func parsedDocument(text []byte) (*Text, error) {
	t, root, err := read(text)
	if err != nil {
		return nil, err
	}
	t.root = root
	return t.scanned(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{root}})
}

// Root is the resource's mapping, with the comments as this package reads them.
// It must not be changed.
func (t *Text) Root() *yaml.Node { return t.root }

// Bytes are the text as it was read. They must not be changed.
func (t *Text) Bytes() []byte {
	if t.broken {
		return t.bytes[:len(t.bytes)-1]
	}
	return t.bytes
}

// read parses text as one document.
func read(text []byte) (*Text, *yaml.Node, error) {
	doc, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	t := &Text{bytes: text, eol: stream.LineEnd(text)}
	if t.broken = !bytes.HasSuffix(text, []byte("\n")); t.broken {
		t.bytes = append(text[:len(text):len(text)], '\n')
	}
	return t, doc.Content[0], nil
}

// scanned finds the places in t, whose only element list holds.
func (t *Text) scanned(list *yaml.Node) (*Text, error) {
	if t.root.Kind != yaml.MappingNode {
		return nil, errors.New("not a mapping")
	}
	if t.top = scan(t, list); len(t.top.entries) == 0 {
		return t, t.again()
	}
	if t.item { // what is indented like the dash
		t.root.FootComment = yamlnode.JoinComments("\n", t.root.FootComment, list.FootComment)
		if first := t.first(); first != nil {
			first.key.HeadComment, t.root.LineComment = commentBlock(t.bytes[t.top.entries[0].mark:first.start]), ""
		}
	}
	if v := t.top.entries[0].value; v.form == flow && t.root.Kind == yaml.MappingNode {
		t.json = json.Valid(t.bytes[v.start:v.end])
		t.kyaml = !t.json && isKYAML(v)
	}
	return t, nil
}

// first is the first field of an item, whose head comment is all between it and
// the dash; nil where there is no such place.
func (t *Text) first() *entry {
	v := t.top.entries[0].value
	if !t.item || v.form != block || v.isMarked() || v.node.Kind != yaml.MappingNode {
		return nil
	}
	return &v.entries[0]
}

// commentBlock is the comments in white space, line by line.
func commentBlock(space []byte) string {
	var lines []string
	for line := range bytes.Lines(space) {
		lines = append(lines, string(bytes.TrimSpace(line)))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// again parses t again, for the comments as the YAML parser gives them away:
// nobody else knows where they are.
func (t *Text) again() error {
	doc, err := parse(t.Bytes())
	if err != nil {
		return err
	}
	if t.marked, t.root = true, doc.Content[0]; t.item {
		t.root = t.root.Content[0]
	}
	return nil
}

// parse parses text as the one document it is. A panic of the parser, which has
// states that it takes to be impossible, is an error.
func parse(text []byte) (doc *yaml.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("yaml: %v", cause)
		}
	}()
	doc = new(yaml.Node)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(doc); err != nil {
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == "" {
		return nil, errors.New("no document")
	}
	return doc, nil
}

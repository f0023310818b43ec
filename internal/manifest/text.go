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
func Item(text []byte) (*Text, error) { return read(text, true, false) }

// Document reads the text of one document, with its marker or without. It is an
// error if text is not YAML, or not one mapping.
//
// As of an item, the nodes of plain text are made without the YAML parser.
func Document(text []byte) (*Text, error) { return read(text, false, false) }

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

// read reads a text. unsure says that the parser is asked though the text is plain.
func read(text []byte, item, unsure bool) (*Text, error) {
	t := &Text{bytes: text, item: item, eol: stream.LineEnd(text)}
	if t.broken = !bytes.HasSuffix(text, []byte("\n")); t.broken {
		t.bytes = append(text[:len(text):len(text)], '\n')
	}
	if plain := t.scan(); !plain || unsure {
		if err := t.parse(text); err != nil {
			return nil, err
		}
	}
	if t.top == nil {
		t.top, t.marked = &place{form: block}, true
		return t, nil
	}
	v := t.top.entries[0].value
	if t.root = v.node; item { // what is indented like the dash
		t.root.FootComment = yamlnode.JoinComments("\n", t.root.FootComment, t.top.node.FootComment)
		if first := t.first(); first != nil {
			first.key.HeadComment, t.root.LineComment = commentBlock(t.bytes[t.top.entries[0].mark:first.start]), ""
		}
	}
	if v.form == flow {
		t.json = json.Valid(t.bytes[v.start:v.end])
		t.kyaml = !t.json && isKYAML(v)
	}
	return t, nil
}

// scan finds the places in the text, none if it is not understood. It reports whether the text is
// plain, and one mapping.
func (t *Text) scan() (plain bool) {
	text, breaks := withoutCR(t.bytes)
	if plain = isClean(text); !plain && !hasPlainLines(t.bytes) {
		return false
	}
	tree, literal := treeOf(text, false)
	if tree == nil {
		return false
	}
	t.top, t.marked = tree.top, tree.marked
	if t.item {
		t.top = t.top.entries[0].value
	}
	if len(breaks) > 0 {
		t.top.move(breaks)
	}
	if len(t.top.entries) != 1 || t.top.form != block || t.item && t.top.node.Kind != yaml.SequenceNode {
		t.top = nil
		return false
	}
	n := t.top.entries[0].value.node
	return plain && !tree.unsure && n.Kind == yaml.MappingNode && !(t.broken && literal) && (t.item || n.Column == 1)
}

// parse reads the text with the parser: its tree is the text's if both have the same nodes in the
// same places, else the text is not understood.
func (t *Text) parse(text []byte) error {
	root, err := t.parsed(text)
	if err != nil {
		return err
	}
	if t.top != nil && !t.top.entries[0].value.adopt(root) {
		t.top = nil
	}
	if t.top != nil {
		t.top.node.Content = []*yaml.Node{root}
	} else {
		t.root, err = t.parsed(text) // again, for the comments as the parser gives them away
	}
	return err
}

// parsed is the mapping that the parser reads of the text.
func (t *Text) parsed(text []byte) (*yaml.Node, error) {
	doc, err := parse(text)
	if err != nil {
		return nil, err
	}
	root := doc.Content[0]
	if t.item {
		if root.Kind != yaml.SequenceNode || len(root.Content) != 1 {
			return nil, errors.New("not one item")
		}
		root = root.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("not a mapping")
	}
	return root, nil
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

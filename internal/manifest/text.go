package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Text is the text of one resource: an item of a list, with its dash and its indentation, or a document. Its lines end
// with "\n", which is for the caller to see to (stream.Decode).
type Text struct {
	bytes []byte
	root  *yaml.Node
	// top is a list with the resource as its only element. It has no places where
	// the text is YAML but not understood: then the resource is encoded.
	top  *place
	item bool
	// broken says that the last line has no line break of its own: the one in bytes is added.
	broken bool
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
// The nodes of plain text are made without the YAML parser (rules/reading: skimming). What the parser says of
// comments is never asked for where the places are known, so both ways give the same.
func Item(text []byte) (*Text, error) { return read(text, true, false) }

// Document reads the text of one document, with its marker or without. It is an
// error if text is not YAML, or not one mapping.
//
// As of an item, the nodes of plain text are made without the YAML parser.
func Document(text []byte) (*Text, error) { return read(text, false, false) }

// Root is the resource's mapping, with the comments as this package reads them. It must not be changed.
func (t *Text) Root() *yaml.Node { return t.root }

// Bytes are the text as it was read. They must not be changed.
func (t *Text) Bytes() []byte { return t.asFile(t.bytes) }

// asFile returns lines without the line break at their end, if the text has none there.
func (t *Text) asFile(lines []byte) []byte {
	if t.broken {
		return bytes.TrimSuffix(lines, []byte("\n"))
	}
	return lines
}

// again reads a text in the place of t.
func (t *Text) again(text []byte) (*Text, error) { return read(text, t.item, false) }

// read reads a text. unsure says that the parser is asked though the text is plain.
func read(text []byte, item, unsure bool) (*Text, error) {
	t := &Text{bytes: text, item: item}
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
	if plain = isClean(t.bytes); !plain && !hasPlainLines(t.bytes) {
		return false
	}
	tree, literal := treeOf(t.bytes, false)
	if tree == nil {
		return false
	}
	t.top, t.marked = tree.top, tree.marked
	if t.item {
		t.top = t.top.entries[0].value
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
	if t.item && HasMarker(text) {
		return nil, errors.New("not one document")
	}
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

// parse parses text as the one document it is.
func parse(text []byte) (doc *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	doc = new(yaml.Node)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(doc); err != nil {
		return nil, err
	}
	switch err := decoder.Decode(new(yaml.Node)); {
	case err == nil:
		return nil, errors.New("more than one document")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == "" {
		return nil, errors.New("no document")
	}
	return doc, nil
}

// Spot is the place of a field, an element or the resource itself in a text, by positions
// of bytes. The spots of a collection's entries touch: each begins where the one before it ends.
type Spot struct {
	// Key is nil in a list and at the top.
	Key, Value *yaml.Node
	// Start is the beginning of the entry's lines: empty ones and comments first. Lead is the beginning of the
	// comments directly above, and Line of the line of the key or the dash. End is behind the last line.
	Start, Lead, Line, End int
	// Column is the column of the key or dash.
	Column int
	// Inline says that the entry begins in the line of its collection, or of the entry before it, as the elements of
	// a list of KYAML do: their lines begin with that line, but for the first one's.
	Inline bool
	// Literal says that the value is a block scalar; Body is the beginning of its lines.
	Literal bool
	Body    int
	// Kids are the entries of a collection that has lines for each; of any other value there are none.
	Kids []Spot
}

// Outline returns the spots of a document. ok is false where the text is not understood.
func (t *Text) Outline() (top Spot, ok bool) {
	if len(t.top.entries) == 0 {
		return Spot{}, false
	}
	top = Spot{Value: t.root, End: len(t.bytes)}
	top.fill(t.bytes, t.top.entries[0].value)
	top.Lead, top.Line = top.body(), top.body()
	return top, true
}

// fill sets the fields of a spot that depend on its value.
func (s *Spot) fill(text []byte, p *place) {
	switch {
	case p.odd || p.isMarked():
	case p.form == literal:
		s.Literal, s.Body = true, p.body
	case p.form == block || p.lines:
		s.Kids = kidsOf(text, p)
	case p.form == flow && p.node.Kind == yaml.SequenceNode:
		s.Kids = cuddledOf(text, p)
	}
}

// cuddledOf returns the spots of the elements of a list whose brackets stand in the lines of
// its elements' brackets, as in KYAML; nil if it is none. The line between two elements is
// the second one's.
func cuddledOf(text []byte, p *place) []Spot {
	kids := make([]Spot, len(p.entries))
	end := p.bare + 1
	for i := range p.entries {
		v, k := p.entries[i].value, &kids[i]
		if !v.lines || v.isMarked() || lineStart(text, v.start) != lineStart(text, end) {
			return nil
		}
		if k.Line = lineStart(text, v.start); i == 0 {
			k.Line = stream.NextLine(text, v.start)
		} else {
			kids[i-1].End = k.Line
		}
		k.Value, k.Start, k.Lead, k.Column, k.Inline = v.node, k.Line, k.Line, v.column, true
		k.fill(text, v)
		k.End, end = v.closing, v.end
	}
	if len(kids) == 0 || lineStart(text, p.end-1) != lineStart(text, end) {
		return nil
	}
	return kids
}

// body is the beginning of the first entry, or the end of a spot without entries.
func (s *Spot) body() int {
	if len(s.Kids) > 0 {
		return s.Kids[0].Start
	}
	return s.End
}

// kidsOf are the spots of the entries of a collection over lines.
func kidsOf(text []byte, p *place) []Spot {
	kids := make([]Spot, len(p.entries))
	for i := range p.entries {
		e, k := &p.entries[i], &kids[i]
		k.Key, k.Value, k.Line, k.End = e.key, e.value.node, lineStart(text, e.start), e.end
		k.Lead, k.Column = e.lead, e.start-k.Line
		switch k.Inline = e.inline(text); {
		case i > 0:
			k.Start = kids[i-1].End
		case k.Inline:
			k.Start, k.Lead = k.Line, k.Line
		default:
			k.Start = e.float
		}
		if !e.odd {
			k.fill(text, e.value)
		}
	}
	return kids
}

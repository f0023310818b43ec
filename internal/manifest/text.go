package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Text is the text of one resource: an item of a list, with its dash and its indentation, or a document. Its lines
// must end with "\n" (stream.Decode).
type Text struct {
	bytes []byte
	root  *yaml.Node
	// top is a list with the resource as its only element. It has no places if the text is valid YAML that this
	// package does not understand: then the resource is encoded.
	top  *place
	item bool
	// broken reports whether the last line has no line break of its own: bytes has an added one.
	broken bool
	// marked reports whether there are anchors, aliases or merge keys.
	marked bool
	json   bool
	// kyaml reports whether the resource is in brackets, with the layout of KYAML.
	kyaml bool
	// inList reports whether the text is an element of a list in brackets, and margin is the white space at the
	// beginning of its first line there.
	inList bool
	margin string
}

// Item reads the text of one item of a list: lines that begin with comments or
// the dash. It is an error if text is not YAML, or not one mapping.
//
// The nodes of plain text are made without the YAML parser (rules/reading: skimming). Where the places are known, the
// comments never come from the parser, so both ways give the same.
func Item(text []byte) (*Text, error) { return read(text, true, false) }

// Document is [Item] for the text of one document, with its marker or without.
func Document(text []byte) (*Text, error) { return read(text, false, false) }

// Root returns the resource's mapping, with the comments as this package reads them. It must not be changed.
func (t *Text) Root() *yaml.Node { return t.root }

// Bytes returns the text as it was read. It must not be changed.
func (t *Text) Bytes() []byte { return t.asFile(t.bytes) }

// asFile returns lines without the line break at their end, if the text has none at its end.
func (t *Text) asFile(lines []byte) []byte {
	if t.broken {
		return bytes.TrimSuffix(lines, []byte("\n"))
	}
	return lines
}

// read reads a text. unsure makes the parser read it too, even if the text is plain.
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
		t.top, t.marked = &place{form: block, interior: &interior{}}, true
		return t, nil
	}
	v := t.top.entries[0].value
	if t.root = v.node; item { // the comments in the column of the dash
		t.root.FootComment = yamlnode.JoinComments("\n", t.root.FootComment, t.top.node.FootComment)
		if first := t.first(); first != nil {
			first.key.HeadComment, t.root.LineComment = tidy(string(t.bytes[t.top.entries[0].mark:first.start])), ""
		}
	}
	if v.form == flow {
		t.json = json.Valid(t.bytes[v.start:v.end])
		t.kyaml = !t.json && isKYAML(v)
	}
	return t, nil
}

// scan finds the places in the text, none if it is not understood. plain reports whether the text is plain, and one
// mapping.
func (t *Text) scan() (plain bool) {
	if plain = isClean(t.bytes); !plain && !hasPlainLines(t.bytes) {
		return false
	}
	s := treeScanner(t.bytes)
	if !s.scan() {
		return false
	}
	t.top, t.marked = s.tree.top, s.tree.marked
	if t.item {
		t.top = t.top.entries[0].value
	}
	if len(t.top.entries) != 1 || t.top.form != block || t.item && t.top.node.Kind != yaml.SequenceNode {
		t.top = nil
		return false
	}
	n := t.top.entries[0].value.node
	return plain && !s.tree.unsure && n.Kind == yaml.MappingNode && !(t.broken && s.item.literal) && (t.item || n.Column == 1)
}

// parse reads the text with the parser. Its tree becomes the text's tree if both have the same nodes in the same
// places, else the text is not understood.
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
		t.root, err = t.parsed(text) // again, because the comments moved to the other tree
	}
	return err
}

// parsed returns the mapping that the parser reads from the text.
func (t *Text) parsed(text []byte) (*yaml.Node, error) {
	if t.item && HasMarker(text) {
		return nil, errors.New("not one document")
	}
	doc, err := parse(text)
	if err != nil {
		return nil, err
	}
	root := doc.Content[0]
	root.FootComment = yamlnode.JoinComments("\n", root.FootComment, doc.FootComment)
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

// first returns the first field of an item, whose head comment is all comments between it and the dash; nil if the
// item has no such place.
func (t *Text) first() *entry {
	v := t.top.entries[0].value
	if !t.item || v.form != block || v.isMarked() || v.node.Kind != yaml.MappingNode {
		return nil
	}
	return &v.entries[0]
}

// parse parses text, which must be one document.
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

// Spot is the place of a field, an element or the resource itself in a text, as byte offsets. The spots of a
// collection's entries touch: each begins at the end of its predecessor.
type Spot struct {
	// Key is nil in a list and at the top.
	Key, Value *yaml.Node
	// Start is the beginning of the entry's lines: empty ones and comments first. Lead is the beginning of the
	// comments directly above, and Line of the line of the key or the dash. End is behind the last line.
	Start, Lead, Line, End int
	// Column is the column of the key or dash.
	Column int
	// Inline reports whether the entry begins in the line of its collection, or of the entry before it, like the
	// elements of a list of KYAML. There, the lines of an element include that line, except for the first.
	Inline bool
	// Literal reports whether the value is a block scalar; Body is the beginning of its lines.
	Literal bool
	Body    int
	// Children are the entries of a collection with lines for each, else nil.
	Children []Spot
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
		s.Children = childrenOf(text, p)
	case p.form == flow && p.node.Kind == yaml.SequenceNode:
		s.Children = cuddledOf(text, p)
	}
}

// cuddledOf returns the spots of the elements of a list whose brackets share the lines of its elements' brackets, as
// in KYAML; nil for another list. The line between two elements belongs to the second one.
func cuddledOf(text []byte, p *place) []Spot {
	children := make([]Spot, len(p.entries))
	end := p.bare + 1
	for i := range p.entries {
		v, k := p.entries[i].value, &children[i]
		if !v.lines || v.isMarked() || lineStart(text, v.start) != lineStart(text, end) {
			return nil
		}
		if k.Line = lineStart(text, v.start); i == 0 {
			k.Line = stream.NextLine(text, v.start)
		} else {
			children[i-1].End = k.Line
		}
		k.Value, k.Start, k.Lead, k.Column, k.Inline = v.node, k.Line, k.Line, v.column, true
		k.fill(text, v)
		k.End, end = v.closing, v.end
	}
	if len(children) == 0 || lineStart(text, p.end-1) != lineStart(text, end) {
		return nil
	}
	return children
}

// body returns the beginning of the first entry, or the end of a spot without entries.
func (s *Spot) body() int {
	if len(s.Children) > 0 {
		return s.Children[0].Start
	}
	return s.End
}

// childrenOf returns the spots of the entries of a collection over lines.
func childrenOf(text []byte, p *place) []Spot {
	children := make([]Spot, len(p.entries))
	for i := range p.entries {
		e, k := &p.entries[i], &children[i]
		k.Key, k.Value, k.Line, k.End = e.key, e.value.node, lineStart(text, e.start), e.end
		k.Lead, k.Column = e.lead, e.start-k.Line
		switch k.Inline = e.inline(text); {
		case i > 0:
			k.Start = children[i-1].End
		case k.Inline:
			k.Start, k.Lead = k.Line, k.Line
		default:
			k.Start = e.float
		}
		if !e.odd {
			k.fill(text, e.value)
		}
	}
	return children
}

package manifest

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

var errNoText = errors.New("no YAML text found that reads back as the merged value")

// encoder writes nodes in lines. Its options are the forms of a text: a part of an edited text, an item of a list, or
// a document around the items of a list.
type encoder struct {
	layout
	fallbacks []fallback
	// countsComments makes comments count: of texts with the same values, the one that loses the fewest comments is taken.
	countsComments bool
	// element writes the node as an element of a list, with its dash in column.
	element bool
	column  int
}

// EncodeItem writes n as an item of a list with dashes in a column. It is an error if no text reads as the values of
// n.
func EncodeItem(n *yaml.Node, wide bool, column int) ([]byte, error) {
	c := encoder{layout: layout{unit: 2, wide: wide}, fallbacks: fallbacks(), countsComments: true, element: true, column: column}
	return c.encode(n)
}

// EncodeDocument writes n as a document. It is an error if no text reads as the values of n.
func EncodeDocument(n *yaml.Node, wide bool) ([]byte, error) {
	c := encoder{layout: layout{unit: 2, wide: wide}, fallbacks: fallbacks(), countsComments: true}
	return c.encode(n)
}

// encodePart writes a part of an edited text, with a layout. The edited text is read again later, so comments do not
// count here, and a part that reads as other values is written with as many quotes as possible.
func encodePart(n *yaml.Node, l layout) ([]byte, error) {
	n = yamlnode.Clone(n)
	openCommented(n)
	quoteKept(n)
	l.wide = l.wide || hasFoot(n)
	c := encoder{layout: l, fallbacks: []fallback{{asItIs, false}, {quoteStrings, true}}}
	return c.encode(n)
}

// encode writes n such that reading the text gives the same kinds, values, tags, anchors and comments
// (rules/comments-and-text: anchors and aliases). Where yaml.v3 fails, encode changes the style of a copy of n as
// little as possible. It is an error if no style keeps the values; if only comments differ, the text that loses and
// moves the fewest is taken.
func (c *encoder) encode(n *yaml.Node) ([]byte, error) {
	n = yamlnode.Clone(n)
	var best, last []byte
	lost, moved := -1, 0
	for _, next := range c.fallbacks {
		if best != nil && (lost+moved == 0 || next.forValues) || !next.apply(n) {
			continue
		}
		text, d := c.attempt(n)
		if last = text; !d.SameValues() {
			continue
		}
		if l := lostComments(n, text, d); best == nil || l < lost || l == lost && d.Comments < moved {
			best, lost, moved = text, l, d.Comments
		}
	}
	if best == nil && !c.countsComments {
		best = last
	}
	if best == nil {
		return nil, errNoText
	}
	return best, nil
}

// attempt writes n, reads the text and returns the difference. Scalars that differ are double-quoted in n.
func (c *encoder) attempt(n *yaml.Node) ([]byte, Difference) {
	PlaceComments(n)
	text, d := c.once(n)
	if d.structure || !slices.ContainsFunc(d.scalars, quote) {
		return text, d
	}
	for _, s := range d.scalars {
		quote(s)
	}
	return c.once(n)
}

// once writes n, reads the text and returns the difference.
func (c *encoder) once(n *yaml.Node) ([]byte, Difference) {
	text, err := c.write(n)
	if err != nil {
		return nil, Difference{structure: true}
	}
	got, err := c.read(text, n.Kind)
	if err != nil {
		return text, Difference{structure: true}
	}
	PlaceComments(got)
	d := Compare(n, got)
	if !c.countsComments {
		d.Comments = 0
	}
	return text, d
}

// read returns the node of a kind that was written as a text.
func (c *encoder) read(text []byte, kind yaml.Kind) (*yaml.Node, error) {
	if c.element {
		t, err := Item(text)
		if err != nil {
			return nil, err
		}
		return t.root, nil
	}
	doc, err := parse(text)
	if err == nil && kind != yaml.DocumentNode {
		doc = doc.Content[0]
	}
	return doc, err
}

// write writes n once, unchanged.
func (c *encoder) write(n *yaml.Node) (text []byte, err error) {
	defer yamlnode.Recover(&err)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	if e.SetIndent(c.unit); c.wide {
		e.DefaultSeqIndent()
	} else {
		e.CompactSeqIndent()
	}
	n, unmarked := withMarks(n)
	if c.element {
		n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
	}
	if err = errors.Join(e.Encode(n), e.Close()); err != nil {
		return nil, err
	}
	if text = b.Bytes(); unmarked != nil {
		text = []byte(unmarked.Replace(b.String()))
	}
	if !c.element {
		return text, nil
	}
	if last := bytes.TrimRight(text, " \t\n"); text[lineStart(last, len(last))] == '#' && !bytes.HasSuffix(text, []byte("\n\n")) {
		text = append(text, '\n') // otherwise a comment would go to the item below
	}
	text, _ = shifted(text, c.column)
	return text, nil
}

// encoded returns the lines of an entry without a text, at a column.
func (e *editor) encoded(key, value *yaml.Node, column int) []byte {
	n := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{value}}
	if key != nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}
	}
	out, _ := encodePart(n, e.layout) // without it the text lacks the part, as reading it again shows
	out, _ = shifted(out, column)
	return out
}

// isUnfolding reports whether upstream's resource is in brackets and local's in lines. Then the styles of upstream's
// parts come from its form, and nobody chose them.
func (e *editor) isUnfolding() bool {
	return e.base == parts.Local && e.other != nil && e.other.inBrackets() && !e.text.inBrackets()
}

// inBrackets reports whether the resource is in brackets.
func (t *Text) inBrackets() bool {
	return len(t.top.entries) > 0 && t.top.entries[0].value.form == flow
}

// inLines returns a copy of a value from brackets with the styles for lines: block collections, plain texts where
// possible, and literal blocks for several lines.
func inLines(n *yaml.Node) *yaml.Node {
	c := *n
	if c.Style &^= yaml.FlowStyle; c.Kind == yaml.ScalarNode {
		c.Style &^= yaml.DoubleQuotedStyle
		if strings.Contains(strings.TrimRight(c.Value, "\n"), "\n") {
			c.Style |= yaml.LiteralStyle
		}
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, k := range n.Content {
		c.Content[i] = inLines(k)
	}
	return &c
}

// encodeWhole writes the whole resource anew, for the place of its text. It is an error if the text does not read as
// the decided values.
func encodeWhole(t *Text, result *Part) ([]byte, error) {
	if t.json || t.kyaml || t.inList {
		w := t.flowWriter()
		start, end := t.brackets()
		w.value(result.Value, t.outer())
		if out := slices.Concat(t.Bytes()[:start], w.out, t.Bytes()[end:]); !w.failed && t.reads(out, result) {
			return out, nil
		}
	}
	if t.inList {
		return nil, errNoText
	}
	n, column := result.Value, 0
	if t.item {
		n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
		column = skipBlanks(t.bytes, 0)
	}
	out, _ := encodePart(n, layoutOf(t)) // without it nothing is read
	out, _ = shifted(out, column)
	out = slices.Concat(t.markerOf(out), out)
	if plain := (Text{item: t.item}); !plain.reads(out, result) {
		return nil, errNoText
	}
	return out, nil
}

// markerOf returns the beginning of a marker above a text in the place of t, if t begins in the line of its marker.
func (t *Text) markerOf(out []byte) []byte {
	switch {
	case t.item || !isMarker(t.bytes[:lineEnd(t.bytes, 0)+1]):
		return nil
	case bytes.IndexByte([]byte("!&{["), out[0]) >= 0:
		return []byte("--- ")
	}
	return []byte("---\n")
}

// reads reports whether a text in the place of t has the values of a result. JSON writes some values in its own way,
// so for JSON it suffices that the text is YAML.
func (t *Text) reads(out []byte, result *Part) bool {
	got, err := read(out, t.item, false)
	return err == nil && (t.json || sameValue(result.Value, got.root))
}

// hasFoot reports whether there is a comment below the last element of a list: it needs a column of its own.
func hasFoot(n *yaml.Node) bool {
	if n.Kind == yaml.SequenceNode && yamlnode.IsBlock(n) {
		if last := n.Content[len(n.Content)-1]; n.FootComment != "" || last.FootComment != "" && !yamlnode.IsBlock(last) {
			return true
		}
	}
	return slices.ContainsFunc(n.Content, hasFoot)
}

// Encoding is a part of a result that had to be encoded, as no text has it.
type Encoding struct {
	// What is "resource", or the kind of a field or an element: "scalar", "map" or "list".
	What string
	// Why is the reason.
	Why string
}

// The reasons.
const (
	notUnderstood = "the layout is not understood"
	notEdited     = "no edit reads back as the merged value"
	notRead       = "the edit does not read back as the merged value"
	noSource      = "the merge made it, no side has it"
	inBrackets    = "upstream has it in brackets, local in lines"
	isAnchored    = "an anchor or an alias"
	ofUpstream    = "upstream added it, local has a different value"
	notTaken      = "upstream's lines cannot stand there"
)

// noteEncoding notes an encoded part.
func (e *editor) noteEncoding(part *Part, why string) {
	what := "scalar"
	switch yamlnode.Resolve(part.Value).Kind {
	case yaml.MappingNode:
		what = "map"
	case yaml.SequenceNode:
		what = "list"
	}
	e.encodings = append(e.encodings, Encoding{what, why})
}

// whyNot returns the reason why the text of the other side does not fit in a place, or "".
func (e *editor) whyNot(from source) string {
	switch {
	case e.isForced():
		return notRead
	case from.entry == nil:
		return noSource
	case e.base == parts.Upstream:
		return ofUpstream
	case from.in.form != block:
		return inBrackets
	}
	return ""
}

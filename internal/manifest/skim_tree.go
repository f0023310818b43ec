package manifest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// tree makes the nodes of a text while the scanner reads it. The methods of nil,
// which is that of a text that is only skimmed, do nothing.
type tree struct {
	text          string // nodes have parts of it
	number, start int    // the line: its number, and where it begins
	seen, width   int    // how far it was looked at, and how many characters that is
	open          []opened
	done          []*yaml.Node // of the collections that are open, what is complete
	void          yaml.Node    // where a value would be that is not there
	fold          fold
	nodes         []yaml.Node // room for the next
	content       []*yaml.Node
	room          int // for how many nodes at once
}

// opened is a collection whose content begins at an index of what is complete.
type opened struct {
	node *yaml.Node
	from int
}

// itemRoom is for how many nodes of an item there is room at once.
const itemRoom = 21

func newTree(text []byte, room int) *tree {
	return &tree{room: room, text: string(text), open: make([]opened, 0, 16), done: make([]*yaml.Node, 0, 2*room)}
}

// line goes to the line that begins at an index.
func (t *tree) line(start int) {
	if t != nil {
		t.number, t.start, t.seen, t.width = t.number+1, start, start, 0
	}
}

// add adds a node that begins at an index.
func (t *tree) add(kind yaml.Kind, tag, value string, at int) *yaml.Node {
	if len(t.nodes) == cap(t.nodes) {
		t.nodes = make([]yaml.Node, 0, t.room)
	}
	t.nodes = append(t.nodes, yaml.Node{Kind: kind, Tag: tag, Value: value, Line: t.number, Column: t.column(at)})
	n := &t.nodes[len(t.nodes)-1]
	t.done = append(t.done, n)
	return n
}

// column is that of an index in the line: the number of characters up to it.
func (t *tree) column(at int) int {
	if at < t.seen {
		t.seen, t.width = t.start, 0
	}
	t.seen, t.width = at, t.width+utf8.RuneCountInString(t.text[t.seen:at])
	return t.width + 1
}

// begin opens a collection: a list or a mapping.
func (t *tree) begin(list bool, at int, style yaml.Style) {
	if t == nil {
		return
	}
	kind, tag := yaml.MappingNode, "!!map"
	if list {
		kind, tag = yaml.SequenceNode, "!!seq"
	}
	n := t.add(kind, tag, "", at)
	n.Style = style
	t.open = append(t.open, opened{n, len(t.done)})
}

// end closes the innermost collection.
func (t *tree) end() {
	if t == nil {
		return
	}
	c := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	content := t.done[c.from:]
	if t.done = t.done[:c.from]; len(content) == 0 {
		return
	}
	if cap(t.content)-len(t.content) < len(content) {
		t.content = make([]*yaml.Node, 0, max(2*t.room-2, len(content)))
	}
	from := len(t.content)
	t.content = append(t.content, content...)
	c.node.Content = slices.Clip(t.content[from:])
}

// await says that the value of a field is below or missing: then it stands at
// an index, behind the colon.
func (t *tree) await(at int) {
	if t != nil {
		t.void = yaml.Node{Line: t.number, Column: t.column(at)}
	}
}

// null adds a value that is missing.
func (t *tree) null() {
	if t != nil {
		n := t.add(yaml.ScalarNode, "!!null", "", t.start)
		n.Line, n.Column = t.void.Line, t.void.Column
	}
}

// word adds a plain scalar.
func (t *tree) word(from, end int) {
	if t != nil {
		word := t.text[from:end]
		t.add(yaml.ScalarNode, tagOf(word), word, from)
	}
}

// lines adds a scalar of several lines, with a quote or, if that is 0, without
// one.
func (t *tree) lines(at int, quote byte) {
	if t == nil {
		return
	}
	n := t.add(yaml.ScalarNode, "!!str", "", at)
	switch quote {
	case '"':
		n.Style = yaml.DoubleQuotedStyle
	case '\'':
		n.Style = yaml.SingleQuotedStyle
	}
	t.fold = fold{node: n}
}

// part adds what one of the lines has, without the spaces around it.
func (t *tree) part(from, end int) {
	if t == nil {
		return
	}
	part := t.text[from:end]
	switch t.fold.node.Style {
	case yaml.DoubleQuotedStyle:
		part = unescaped(part)
	case yaml.SingleQuotedStyle:
		part = strings.ReplaceAll(part, "''", "'")
	}
	t.fold.value.WriteString(part)
}

// join adds what the line breaks between two lines stand for: a space, or one
// line break less; after one that is escaped, no space.
func (t *tree) join(breaks int, escaped bool) {
	switch {
	case t == nil:
	case breaks == 1 && !escaped:
		t.fold.value.WriteByte(' ')
	default:
		t.fold.feed(breaks - 1)
	}
}

// linesEnd says that the scalar has no more lines.
func (t *tree) linesEnd() {
	if t == nil {
		return
	}
	n := t.fold.node
	if n.Value = t.fold.value.String(); n.Style == 0 {
		n.Tag = tagOf(n.Value)
	}
	t.fold = fold{}
}

// quoted adds a scalar with its quotes.
func (t *tree) quoted(from, end int) {
	if t == nil {
		return
	}
	value, style := t.text[from+1:end-1], yaml.SingleQuotedStyle
	if t.text[from] == '"' {
		style = yaml.DoubleQuotedStyle
		value = unescaped(value)
	} else if strings.IndexByte(value, '\'') >= 0 {
		value = strings.ReplaceAll(value, "''", "'")
	}
	t.add(yaml.ScalarNode, "!!str", value, from).Style = style
}

// unescaped is what is between double quotes in a line, with the escapes that a
// plain text may have.
func unescaped(text string) string {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)), text[:at]...)
	for at < len(text) {
		c := text[at]
		at++
		if c != '\\' {
			out = append(out, c)
			continue
		}
		c = text[at]
		at++
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'x', 'u', 'U':
			digits := escapedDigits(c)
			out = utf8.AppendRune(out, escapedRune([]byte(text[at:at+digits]), digits))
			at += digits
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// literal adds a literal or folded block whose indicator is at an index.
func (t *tree) literal(at int) {
	if t == nil {
		return
	}
	n := t.add(yaml.ScalarNode, "!!str", "", at)
	t.fold = fold{node: n, folded: t.text[at] == '>'}
	if n.Style = yaml.LiteralStyle; t.fold.folded {
		n.Style = yaml.FoldedStyle
	}
}

// literalChomp says what becomes of the line breaks at the end of the block.
func (t *tree) literalChomp(indicator byte) {
	if t != nil {
		t.fold.chomp = indicator
	}
}

// literalLine adds a line, from an index to its line break, to a block that is
// indented by a number of columns.
func (t *tree) literalLine(from, end, indent int) {
	if t == nil {
		return
	}
	t.line(from)
	f := &t.fold
	if end-from <= indent || indent == 0 {
		f.breaks++
		return
	}
	line := t.text[from+indent : end]
	blank := line[0] == ' ' || line[0] == '\t'
	f.join(blank)
	f.value.WriteString(line)
	f.some, f.blank, f.breaks = true, blank, 1
}

// literalEnd says that the block has no more lines.
func (t *tree) literalEnd() {
	if t == nil {
		return
	}
	f := &t.fold
	switch {
	case f.chomp == '+':
		f.feed(f.breaks)
	case f.chomp != '-' && f.some:
		f.feed(1)
	}
	f.node.Value = f.value.String()
	t.fold = fold{}
}

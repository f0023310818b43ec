package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar adds a scalar or an alias: the value of the last entry, or its key.
func (t *tree) scalar(kind yaml.Kind, tag, value string, style yaml.Style, from, end int) {
	if !t.isKey {
		p := t.value(kind, tag, value, token, from)
		p.node.Style |= style
		p.end = end
		return
	}
	n, _ := t.node(kind, tag, value, from)
	n.Style |= style
	n.HeadComment, t.head = t.head, ""
	t.last().key = n
}

// word adds a plain scalar.
func (t *tree) word(from, end int) {
	if t != nil {
		word := t.text[from:end]
		t.scalar(yaml.ScalarNode, tagOf(word), word, 0, from, end)
	}
}

// alias adds an alias.
func (t *tree) alias(from, end int) {
	t.marked = true
	t.scalar(yaml.AliasNode, "", t.text[from+1:end], 0, from, end)
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
	t.scalar(yaml.ScalarNode, "!!str", value, style, from, end)
}

// key adds a key with its properties.
func (t *tree) key(from, end int) {
	s := scanner{text: t.bytes, tree: t}
	if c := t.text[from]; c == '&' || c == '!' {
		from = s.readProperties(from, false)
	}
	t.isKey = true
	switch t.text[from] {
	case '"', '\'':
		t.quoted(from, end)
	case '*':
		t.alias(from, end)
	default:
		t.word(from, end)
	}
	t.isKey = false
}

// fold is a scalar of several lines that is read.
type fold struct {
	place  *place
	value  strings.Builder
	chomp  byte // '-', '+', or 0
	folded bool
	blank  bool // the line above begins with a space or a tab
	breaks int  // the line breaks before the next line that is not empty
	some   bool // there was such a line
}

// join writes what is between two lines of a block: their line breaks, but of two that are folded one less, or a space.
func (f *fold) join(blank bool) {
	breaks := f.breaks
	if f.folded && f.some && !f.blank && !blank {
		if breaks--; breaks == 0 {
			f.value.WriteByte(' ')
		}
	}
	f.feed(breaks)
}

func (f *fold) feed(breaks int) {
	for range breaks {
		f.value.WriteByte('\n')
	}
}

// lines adds a scalar of several lines, with a quote or, if that is 0, without one.
func (t *tree) lines(at int, quote byte) {
	if t == nil {
		return
	}
	p := t.value(yaml.ScalarNode, "!!str", "", token, at)
	switch quote {
	case '"':
		p.node.Style |= yaml.DoubleQuotedStyle
	case '\'':
		p.node.Style |= yaml.SingleQuotedStyle
	}
	t.fold = fold{place: p}
}

// part adds what one of the lines has, without the white space around it.
func (t *tree) part(from, end int) {
	if t == nil {
		return
	}
	part := t.text[from:end]
	switch style := t.fold.place.node.Style; {
	case style&yaml.DoubleQuotedStyle != 0:
		part = unescaped(part)
	case style&yaml.SingleQuotedStyle != 0:
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

// linesEnd says that the scalar ends at an index.
func (t *tree) linesEnd(end int) {
	if t == nil {
		return
	}
	n := t.fold.place.node
	if n.Value = t.fold.value.String(); n.Style&^yaml.TaggedStyle == 0 {
		n.Tag = tagOf(n.Value)
		t.marked = t.marked || n.Tag == "!!merge"
	}
	t.fold.place.end = end
	t.fold = fold{}
}

// literal adds a literal or folded block whose indicator is at an index, with its head's end and
// the beginning of its lines.
func (t *tree) literal(at, head, body int, chomp byte) {
	if t == nil {
		return
	}
	p := t.value(yaml.ScalarNode, "!!str", "", literal, at)
	p.head, p.body = head, body
	t.fold = fold{place: p, folded: t.text[at] == '>', chomp: chomp}
	if t.fold.folded {
		p.node.Style |= yaml.FoldedStyle
	} else {
		p.node.Style |= yaml.LiteralStyle
	}
}

// literalLine adds a line, from an index to its line break, to a block that is indented by a number of columns.
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

// literalEnd says that the block, which is indented by a number of columns, ends at an index.
func (t *tree) literalEnd(indent, end int) {
	f, p, e := &t.fold, t.fold.place, t.last()
	switch {
	case f.chomp == '+':
		f.feed(f.breaks)
	case f.chomp != '-' && f.some:
		f.feed(1)
	}
	p.node.Value, p.indent, p.end = f.value.String(), indent, end
	t.fold = fold{}
	t.remark(p.head, p.node)
	e.end = end
	t.gap.reset(end)
}

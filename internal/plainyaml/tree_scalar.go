package plainyaml

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

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

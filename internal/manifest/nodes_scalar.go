package manifest

import (
	"bytes"
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

// plain adds a plain scalar.
func (t *tree) plain(from, end int) {
	if t != nil {
		word := t.folded(from, end, 0)
		t.scalar(yaml.ScalarNode, tagOf(word), word, 0, from, end)
	}
}

// alias adds an alias.
func (t *tree) alias(from, end int) {
	t.marked = true
	t.scalar(yaml.AliasNode, "", t.word(from+1, end), 0, from, end)
}

// quoted adds a scalar with its quotes.
func (t *tree) quoted(from, end int) {
	if t == nil {
		return
	}
	quote, style := t.bytes[from], yaml.SingleQuotedStyle
	if quote == '"' {
		style = yaml.DoubleQuotedStyle
	}
	t.scalar(yaml.ScalarNode, "!!str", t.folded(from+1, end-1, quote), style, from, end)
}

// key adds a key with its properties.
func (t *tree) key(from, end int) {
	s := scanner{text: t.bytes, tree: t}
	if c := t.bytes[from]; c == '&' || c == '!' {
		from = s.readProperties(from, false)
	}
	t.isKey = true
	switch t.bytes[from] {
	case '"', '\'':
		t.quoted(from, end)
	case '*':
		t.alias(from, end)
	default:
		t.plain(from, end)
	}
	t.isKey = false
}

// lines notes the beginning of a scalar of several lines. The scalar is added at its end.
func (t *tree) lines(at int) {
	if t != nil && !t.properties.on {
		t.properties = properties{on: true, start: at, end: at, line: t.number, column: t.column(at)}
	}
}

// folded returns the value of a scalar with a quote, or without one if that is 0. A single line break becomes a
// space, of several in a row the first is dropped, and an escaped one becomes nothing.
func (t *tree) folded(from, end int, quote byte) string {
	text := t.bytes[from:end]
	if bytes.IndexByte(text, '\n') < 0 {
		return unquoted(t.word(from, end), quote)
	}
	var out strings.Builder
	out.Grow(len(text))
	var line []byte
	rest, more, breaks, escaped := text, true, 0, false
	for first := true; more; first = false {
		if line, rest, more = bytes.Cut(rest, []byte("\n")); !first {
			line = bytes.TrimLeft(line, " \t")
			if breaks++; len(line) == 0 && more {
				continue
			}
			if breaks == 1 && !escaped {
				out.WriteByte(' ')
			}
			out.WriteString(strings.Repeat("\n", breaks-1))
		}
		slashes := len(line) - len(bytes.TrimRight(line, `\`)) // an even number escape each other
		if escaped = more && quote == '"' && slashes%2 == 1; escaped {
			line = line[:len(line)-1]
		} else if more {
			line = bytes.TrimRight(line, " \t")
		}
		writeUnquoted(&out, line, quote)
		breaks = 0
	}
	return out.String()
}

// writeUnquoted writes the value of a line in a scalar with a quote.
func writeUnquoted(out *strings.Builder, line []byte, quote byte) {
	for quote == '\'' {
		before, after, found := bytes.Cut(line, []byte("''"))
		if !found {
			break
		}
		out.Write(before)
		out.WriteByte(quote)
		line = after
	}
	if quote == '"' && bytes.IndexByte(line, '\\') >= 0 {
		out.WriteString(unescaped(string(line)))
	} else {
		out.Write(line)
	}
}

// unquoted returns the value of a line in a scalar with a quote.
func unquoted(line string, quote byte) string {
	switch quote {
	case '"':
		return unescaped(line)
	case '\'':
		return strings.ReplaceAll(line, "''", "'")
	}
	return line
}

// literal adds a literal or folded block, whose indicator is at an index, and whose lines are indented by indent
// columns.
func (t *tree) literal(at, head, body, end, indent int, chomp byte) {
	style := yaml.LiteralStyle
	if t.bytes[at] == '>' {
		style = yaml.FoldedStyle
	}
	value := blockValue(t.bytes[body:end], indent, chomp, style == yaml.FoldedStyle)
	p, e := t.value(yaml.ScalarNode, "!!str", value, literal, at), t.last()
	p.node.Style |= style
	p.head, p.body, p.end, p.indent = head, body, end, indent
	t.number += bytes.Count(t.bytes[body:end], []byte("\n"))
	t.readLineComment(head, p.node)
	e.end = end
	t.gap.reset(end)
}

// blockValue returns the value of a block with lines. Between two folded lines, n line breaks become n-1, and one
// becomes a space.
func blockValue(lines []byte, indent int, chomp byte, folded bool) string {
	var out strings.Builder
	out.Grow(len(lines) + 1)
	hasLine, isSpaced, breaks := false, false, 0 // isSpaced reports whether the line above begins with white space
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) <= indent {
			breaks++
			continue
		}
		line = line[indent:]
		wasSpaced := isSpaced
		isSpaced = line[0] == ' ' || line[0] == '\t'
		if folded && hasLine && !wasSpaced && !isSpaced {
			breaks--
			if breaks == 0 {
				out.WriteByte(' ')
			}
		}
		out.WriteString(strings.Repeat("\n", breaks))
		out.Write(line)
		hasLine, breaks = true, 1
	}
	switch {
	case chomp == '+':
		out.WriteString(strings.Repeat("\n", breaks))
	case chomp != '-' && hasLine:
		out.WriteByte('\n')
	}
	return out.String()
}

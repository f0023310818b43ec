package plainyaml

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

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

package resourcelist

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// The guards of rules/reading: guards of a list: splitting a list by lines and parsing the items alone gives what
// the full parser gives, unless one of these holds. Each errs on the side of the full parser.

// needsFullParser asks the guards that look at what is above the items, with their key,
// and below them. Lines of items cannot have what they look for, but for what isPlainText
// does not hold for, which a text that is skimmed cannot have either.
func needsFullParser(above, below []byte) bool {
	return !isPlainText(above) || hasDocumentMarker(withoutStart(above)) ||
		!isPlainText(below) || hasDocumentMarker(below) || hasLinePrefix(below, "items:")
}

// isPlainText does not hold for a text whose characters or lines may be others to YAML.
func isPlainText(text []byte) bool {
	return isPlainUTF8(text) && !hasStrayCR(text) && !hasUnicodeBreak(text)
}

// withoutStart is data without a `---` in its first line, which says nothing.
func withoutStart(data []byte) []byte { return bytes.TrimPrefix(data, []byte("---\n")) }

// isFlow holds for JSON and other input that begins with a flow collection.
func isFlow(data []byte) bool {
	return bytes.HasPrefix(data, []byte("{")) || bytes.HasPrefix(data, []byte("["))
}

// isPlainUTF8 does not hold for a byte order mark, UTF-16 and NUL.
func isPlainUTF8(data []byte) bool {
	return !isUTF16(data) && !bytes.Contains(data, []byte("\uFEFF")) && bytes.IndexByte(data, 0) < 0
}

// isUTF16 holds for input with a byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF"))
}

// hasStrayCR holds if a CR is left after CRLF was turned to LF: a line break to YAML, which a split by LF does not see.
func hasStrayCR(data []byte) bool {
	return bytes.IndexByte(data, '\r') >= 0
}

// hasUnicodeBreak holds for next line, line separator and paragraph separator, which are line breaks to yaml.v3.
func hasUnicodeBreak(data []byte) bool {
	return bytes.Contains(data, []byte("\u0085")) ||
		bytes.Contains(data, []byte("\u2028")) || bytes.Contains(data, []byte("\u2029"))
}

// hasDocumentMarker holds if a line begins like `---`, `...` or a directive.
func hasDocumentMarker(data []byte) bool {
	return hasLinePrefix(data, "---") || hasLinePrefix(data, "...") || hasLinePrefix(data, "%")
}

// isItemsLine holds for a line with the key of the items that has at most a comment after it.
func isItemsLine(l []byte) bool {
	rest := bytes.TrimSuffix(bytes.TrimPrefix(l, []byte("items:")), []byte("\n"))
	text := bytes.TrimLeft(rest, " ")
	return len(text) == 0 || text[0] == '#' && len(text) < len(rest)
}

// hasTabIndent holds if a tab is part of the indentation up to the column of
// the dashes. One further right is in an item, whatever it is there.
func hasTabIndent(l line, column int) bool {
	return l.indent <= column && l.first == '\t'
}

// isOuterComment holds for a comment between items, above the first or below
// the last: which one it belongs to is for yaml.v3 to say.
func isOuterComment(l line, column int) bool {
	return l.indent <= column && l.first == '#'
}

// isStray holds for a line that is neither within an item nor at column 0: the
// dashes are not all in one column, or a quoted scalar has lines further left.
func isStray(l line, column int) bool {
	return l.indent > 0 && l.indent < column || l.indent == column && column > 0 && !l.dash
}

// isPlainShell holds if the head, `items: []` in the given line, and the tail
// are a block mapping that has this items key and no other.
func isPlainShell(root *yaml.Node, line int) bool {
	at := position(root, "items")
	if at < 0 || root.Style&yaml.FlowStyle != 0 || root.Content[at].Line != line {
		return false
	}
	items := root.Content[at+1]
	return items.Kind == yaml.SequenceNode && len(items.Content) == 0 && items.Line == line
}

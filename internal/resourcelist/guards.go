package resourcelist

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
)

// The guards of rules/reading: guards of a list: splitting a list by lines and parsing the items alone gives what
// the full parser gives, unless one of these holds. Each errs on the side of the full parser.

// needsFullParser asks the guards that look at what is above the items, with their key,
// and below them; a `---` in the first line says nothing. Lines of items cannot have what they look for, but for what isPlainText
// does not hold for, which a text that is skimmed cannot have either.
func needsFullParser(above, below []byte) bool {
	return !isPlainText(above) || manifest.HasMarker(bytes.TrimPrefix(above, []byte("---\n"))) ||
		!isPlainText(below) || manifest.HasMarker(below) || itemsLine(below) >= 0
}

// isPlainText does not hold for a text whose characters or lines may be others to YAML: one with a byte order mark, a
// NUL, or a line break of YAML that a split by LF does not see.
func isPlainText(text []byte) bool {
	return !isUTF16(text) && !slices.ContainsFunc([]string{"\uFEFF", "\x00", "\r", "\u0085", "\u2028", "\u2029"}, func(sign string) bool {
		return bytes.Contains(text, []byte(sign))
	})
}

// isFlow holds for JSON and other input that begins with a flow collection.
func isFlow(data []byte) bool {
	return bytes.HasPrefix(data, []byte("{")) || bytes.HasPrefix(data, []byte("["))
}

// isUTF16 holds for input with a byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF"))
}

// isItemsLine holds for a line with the key of the items that has at most a comment after it.
func isItemsLine(l []byte) bool {
	rest := bytes.TrimSuffix(bytes.TrimPrefix(l, []byte("items:")), []byte("\n"))
	text := bytes.TrimLeft(rest, " ")
	return len(text) == 0 || text[0] == '#' && len(text) < len(rest)
}

// isOuterComment holds for a comment between items, above the first or below
// the last: which one it belongs to is for yaml.v3 to say.
func isOuterComment(l line, column int) bool {
	return l.indent <= column && l.first == '#'
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

package resourcelist

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// cutEnd cuts the comments off that end the text of an item, which yaml.v3 may
// give to the item below.
func cutEnd(text []byte) (body []byte, end []foot) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	first := len(lines)
	for first > 0 && !hasContent(lines[first-1]) {
		first--
	}
	for _, line := range lines[first:] {
		comment := bytes.TrimLeft(line, " ")
		if text := string(bytes.TrimSpace(comment)); text != "" {
			end = append(end, foot{text, len(line) - len(comment) + 1})
		}
	}
	return bytes.Join(lines[:first], nil), end
}

// endsWithComment reports whether the last line of text that is not empty is a
// comment.
func endsWithComment(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(lastLine(text), " "), []byte("#"))
}

// hasContent reports whether a line is neither empty nor a comment.
func hasContent(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '#'
}

// endsWithBlock reports whether the last thing in n is a block scalar, to which
// lines that look like comments may belong.
func endsWithBlock(n *yaml.Node) bool {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

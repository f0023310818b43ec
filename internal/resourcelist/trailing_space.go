package resourcelist

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yaml.v3 double-quotes a literal block in which a line ends with a space, and
// makes one line of a whole embedded file. So such spaces are written as a
// character that the item does not have, and put back in the text.

// markTrailingSpaces returns n with a mark for each space that ends a line of a literal
// block, on a copy, and the mark; n itself and "" if there is none.
func markTrailingSpaces(n *yaml.Node) (*yaml.Node, string) {
	found := false
	walk(n, func(n *yaml.Node) { found = found || endsLineWithSpace(n) })
	if !found {
		return n, ""
	}
	mark := freeMark(n)
	if mark == "" {
		return n, ""
	}
	spaces := regexp.MustCompile(`(?m) +$`)
	n = clone(n)
	walk(n, func(n *yaml.Node) {
		if endsLineWithSpace(n) {
			n.Value = spaces.ReplaceAllStringFunc(n.Value, func(run string) string { return strings.Repeat(mark, len(run)) })
		}
	})
	return n, mark
}

// unmarkTrailingSpaces puts the spaces back.
func unmarkTrailingSpaces(text []byte, mark string) []byte {
	if mark == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(mark), []byte(" "))
}

// endsLineWithSpace holds for a literal block with a space before a line break.
// One that ends with a space and no line break is left to be quoted.
func endsLineWithSpace(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0 && strings.Contains(n.Value, " \n")
}

// freeMark returns a private-use character that nothing in n has, "" if it has
// all that are tried.
func freeMark(n *yaml.Node) string {
	for mark := '\uE000'; mark < '\uE010'; mark++ {
		taken := false
		walk(n, func(n *yaml.Node) {
			for _, text := range []string{n.Value, n.HeadComment, n.LineComment, n.FootComment, n.Tag} {
				taken = taken || strings.ContainsRune(text, mark)
			}
		})
		if !taken {
			return string(mark)
		}
	}
	return ""
}

// Package markerline recognises the lines that git writes around the two versions of a conflict: "<<<<<<<", "|||||||",
// "=======" and ">>>>>>>", each alone or before a space and a label.
package markerline

import (
	"bytes"
	"strings"
)

// Length is the length of a marker, unless an attribute of git makes it longer.
const Length = 7

// Split returns the repeated character of a marker line, the length of the marker, and the label behind it. The
// character is 0 for any other line. A line of any length is split, since an attribute of git sets the length.
func Split(line []byte) (mark byte, length int, label string) {
	if len(line) == 0 || strings.IndexByte("<|=>", line[0]) < 0 {
		return 0, 0, ""
	}
	rest := bytes.TrimLeft(line, string(rune(line[0])))
	length = len(line) - len(rest)
	if rest = bytes.TrimRight(rest, "\r\n"); len(rest) > 0 && rest[0] != ' ' {
		return 0, 0, ""
	}
	return line[0], length, strings.TrimSpace(string(rest))
}

// First returns the number of the first line of a text, from 1, that is a marker of git's own length, and 0 if there is
// none. Seven equal signs alone do not count: they may be the line below a heading.
func First(text []byte) int {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if mark, length, _ := Split(line); mark != 0 && mark != '=' && length == Length {
			return number
		}
	}
	return 0
}

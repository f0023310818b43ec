package manifest

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// lineStart returns where the line of a position begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns where the line of a position ends, before its line break.
func lineEnd(text []byte, at int) int {
	end := bytes.IndexByte(text[at:], '\n') + at
	if end < at {
		return len(text)
	}
	if end > at && text[end-1] == '\r' {
		end--
	}
	return end
}

// nextLine returns where the line below that of a position begins.
func nextLine(text []byte, at int) int {
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(text)
}

// skipSpaces returns the first position from at on that has no space or tab.
func skipSpaces(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// trimLeft returns the position before the spaces and tabs that end at a position.
func trimLeft(text []byte, at int) int {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at
}

// isBreak reports whether a line ends at a position.
func isBreak(text []byte, at int) bool {
	return at >= len(text) || text[at] == '\n' || text[at] == '\r' && at+1 < len(text) && text[at+1] == '\n'
}

// isBlankLine reports whether there is a line at a position, which begins there,
// and it is empty.
func isBlankLine(text []byte, at int) bool {
	return at < len(text) && isBreak(text, skipSpaces(text, at))
}

// isBelowBlank reports whether the line above the one that begins at a position
// is empty.
func isBelowBlank(text []byte, at int) bool {
	return at > 0 && isBlankLine(text, lineStart(text, at-1))
}

// hasPlainLines reports whether the lines of text are those that the parser
// counts, and its columns characters.
func hasPlainLines(text []byte) bool {
	if !utf8.Valid(text) || bytes.HasPrefix(text, []byte("\uFEFF")) {
		return false
	}
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], '\r')
		if next < 0 {
			break
		}
		at += next
		if at+1 == len(text) || text[at+1] != '\n' {
			return false
		}
	}
	for _, other := range [3]string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(other)) {
			return false
		}
	}
	return true
}

// shifted returns lines with their indentation changed by a number of columns,
// and with other line breaks. Empty lines stay empty. exact reports whether all
// lines had the spaces that were to go.
func shifted(lines []byte, by int, eol string) (out []byte, exact bool) {
	out, exact = make([]byte, 0, len(lines)+max(0, by)*bytes.Count(lines, []byte("\n"))), true
	for line := range bytes.Lines(lines) {
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(text) > 0 && by > 0 {
			out = append(out, strings.Repeat(" ", by)...)
		}
		for drop := by; drop < 0 && len(text) > 0; drop++ {
			if text[0] != ' ' {
				exact = false
				break
			}
			text = text[1:]
		}
		out = append(out, text...)
		if len(line) > 0 && line[len(line)-1] == '\n' {
			out = append(out, eol...)
		}
	}
	return out, exact
}

package manifest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// lineStart returns the index of the first byte of a position's line.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the index of the line break of a position's line, or the length of text.
func lineEnd(text []byte, at int) int {
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return at + length
	}
	return len(text)
}

// skipSpaces returns the first position from at on without a space or tab.
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
	return at >= len(text) || text[at] == '\n'
}

// isBlankLine reports whether an empty line begins at a position.
func isBlankLine(text []byte, at int) bool {
	return at < len(text) && isBreak(text, skipSpaces(text, at))
}

// skipBlankLines returns the beginning of the first line that is not empty, from the line at a position on.
func skipBlankLines(text []byte, at int) int {
	for isBlankLine(text, at) {
		at = stream.NextLine(text, at)
	}
	return at
}

// isBelowBlank reports whether the line above a line is empty. The lower line begins at a position.
func isBelowBlank(text []byte, at int) bool {
	return at > 0 && isBlankLine(text, lineStart(text, at-1))
}

// hasPlainLines reports whether the parser counts the same lines in text, and the columns are characters.
func hasPlainLines(text []byte) bool {
	return utf8.Valid(text) && !bytes.HasPrefix(text, []byte("\uFEFF")) && !bytes.ContainsAny(text, "\r\u0085\u2028\u2029")
}

// shifted returns lines with their indentation changed by a number of columns. Empty lines stay empty. exact reports
// whether no line had too few spaces to remove.
func shifted(lines []byte, by int) (out []byte, exact bool) {
	out, exact = make([]byte, 0, len(lines)+max(0, by)*bytes.Count(lines, []byte("\n"))), true
	for line := range bytes.Lines(lines) {
		if line[0] != '\n' && by > 0 {
			out = append(out, strings.Repeat(" ", by)...)
		}
		for drop := by; drop < 0 && len(line) > 0 && line[0] != '\n'; drop++ {
			if line[0] != ' ' {
				exact = false
				break
			}
			line = line[1:]
		}
		out = append(out, line...)
	}
	return out, exact
}

// isMarker reports whether a line begins or ends a document.
func isMarker(line []byte) bool {
	return len(line) > 3 && isBlankByte(line[3]) && (string(line[:3]) == "---" || string(line[:3]) == "...")
}

// HasMarker reports whether a line of a text begins like the marker of a document or a directive.
func HasMarker(text []byte) bool {
	return slices.ContainsFunc([]string{"---", "...", "%"}, func(marker string) bool {
		return bytes.HasPrefix(text, []byte(marker)) || bytes.Contains(text, []byte("\n"+marker))
	})
}

// isDash reports whether an element begins at a position.
func isDash(text []byte, at int) bool { return text[at] == '-' && isBlankByte(text[at+1]) }

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// skipBlanks returns the first position from at on without a space; the line must have one.
func skipBlanks(line []byte, at int) int {
	for line[at] == ' ' {
		at++
	}
	return at
}

// isEnd reports whether the rest of the line from an index is empty or a comment.
func isEnd(line []byte, at int) bool {
	at = skipBlanks(line, at)
	return line[at] == '\n' || line[at] == '#' && isBlankByte(line[at-1])
}

// isPlainStart reports whether a plain scalar may begin at an index.
func isPlainStart(line []byte, from int) bool {
	c := line[from]
	if c == '-' || c == ':' || c == '?' {
		return !isBlankByte(line[from+1])
	}
	return bytes.IndexByte([]byte("&*!|>%@`,]}#\t"), c) < 0
}

// isWord reports whether a key or a scalar of a flow collection may begin with a byte and consist of such bytes,
// whatever the bytes around it.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/' || c == '$'
}

func isNull(word []byte) bool {
	switch string(word) {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}

// escapeLetters are the letters of the escapes with one letter, common ones first.
const escapeLetters, commonEscapes = `"\ ntrbf/0aveN_LP`, 8

// escapeRunes returns the characters that escapeLetters stand for.
func escapeRunes() [len(escapeLetters)]rune {
	return [...]rune{'"', '\\', ' ', '\n', '\t', '\r', '\b', '\f', '/', 0, '\a', '\v', 0x1b, 0x85, 0xa0, 0x2028, 0x2029}
}

// readEscape returns the character and the length of the escape at the beginning of text, and whether it is common. The
// character is -1 if the escape has no number of one.
func readEscape(text string) (r rune, length int, common bool) {
	if at := strings.IndexByte(escapeLetters, text[1]); at >= 0 {
		return escapeRunes()[at], 2, at < commonEscapes
	}
	digits := 0
	switch text[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return rune(text[1]), 2, false
	}
	number, err := strconv.ParseUint(text[2:min(2+digits, len(text))], 16, 31)
	if r = rune(number); err == nil && len(text) >= 2+digits && utf8.ValidRune(r) { // #nosec G115 -- number has 31 bits
		return r, 2 + digits, true
	}
	return -1, 2, false
}

// unescaped returns the value of the text between double quotes in a line.
func unescaped(text string) string {
	var out strings.Builder
	for at := strings.IndexByte(text, '\\'); at >= 0 && at+1 < len(text); at = strings.IndexByte(text, '\\') {
		r, length, _ := readEscape(text[at:])
		if out.WriteString(text[:at]); r >= 0 {
			out.WriteRune(r)
		}
		text = text[at+length:]
	}
	return out.String() + text
}

// isClean reports whether text has no character that YAML forbids or takes for a line break.
func isClean(text []byte) bool {
	for i := 0; i < len(text); i++ {
		for i+8 <= len(text) && isCleanWord(binary.LittleEndian.Uint64(text[i:])) {
			i += 8
		}
		if i == len(text) {
			break
		}
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if !isPrintable(r) || size < 2 {
				return false
			}
			i += size - 1
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			return false
		}
	}
	return true
}

// isCleanWord reports whether eight bytes are ASCII without control characters other than the line break. Each sum
// stays within its byte.
func isCleanWord(word uint64) bool {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
		low  = 0x7f * each
	)
	if word&high != 0 {
		return false
	}
	notControl := word + 0x60*each        // the high bit of bytes from the space on
	notBreak := (word ^ '\n'*each) + low  // the high bit of bytes other than a line break
	notDelete := (word ^ 0x7f*each) + low // the high bit of bytes other than DEL
	return (notControl|^notBreak)&notDelete&high == high
}

// isPrintable reports whether yaml.v3 takes a character beyond ASCII. Byte order mark and line breaks do not count.
func isPrintable(r rune) bool {
	return r >= 0xa0 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

// isFlowSign reports whether a byte ends a plain scalar in brackets.
func isFlowSign(c byte) bool { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' }

// tagOf returns the tag that the YAML parser gives a plain scalar. Most words are text by their beginning; the parser
// decides about the others.
func tagOf(word string) string {
	if word == "<<" {
		return "!!merge"
	}
	if isText(word) {
		return "!!str"
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: word}).ShortTag()
}

// isText reports whether a plain scalar is certainly no number, time, boolean or null.
func isText(word string) bool {
	switch c := word[0]; {
	case strings.IndexByte("tTfFnN~yYoO", c) >= 0:
		return len(word) > len("false") || word[1:] != "" && word[1] == ':'
	case c == '-' || c == '+':
		return len(word) > 1 && strings.IndexByte("0123456789._", word[1]) < 0
	case '0' <= c && c <= '9':
		return strings.Trim(word, "0123456789abcdefABCDEF+-.:_ oOxXtTzZ") != ""
	default:
		return c != '.' || len(word) == 1
	}
}

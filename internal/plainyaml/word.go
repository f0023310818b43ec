package plainyaml

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// isEnd holds if there is nothing more in the line at an index but a comment.
func isEnd(line []byte, at int) bool {
	from := at
	for line[at] == ' ' {
		at++
	}
	return line[at] == '\n' || line[at] == '#' && at > from
}

// isPlainStart reports whether a plain scalar may begin at an index.
func isPlainStart(line []byte, from int) bool {
	c := line[from]
	if c == '-' || c == ':' || c == '?' {
		return line[from+1] != ' ' && line[from+1] != '\n'
	}
	return bytes.IndexByte([]byte("&*!|>%@`,]}#\t"), c) < 0
}

// plainLine returns where the part of a plain scalar ends that begins at from
// and is in its line, and whether the next line may go on with it; 0 if there is
// a tab or a colon that ends a key.
func plainLine(line []byte, from int) (end int, open bool) {
	at := from
	for ; line[at] != '\n'; at++ {
		switch line[at] {
		case '\t':
			return 0, false
		case ':':
			if line[at+1] == ' ' || line[at+1] == '\n' || line[at+1] == '\t' {
				return 0, false
			}
		case '#':
			if line[at-1] == ' ' {
				return trimmed(line, at), false
			}
		}
	}
	return trimmed(line, at), true
}

// trimmed is where a text ends without the spaces that come before end.
func trimmed(line []byte, end int) int {
	for line[end-1] == ' ' {
		end--
	}
	return end
}

func isNull(word []byte) bool {
	switch string(word) {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}

func skipSpaces(line []byte, at int) int {
	for line[at] == ' ' {
		at++
	}
	return at
}

// isClean holds for text that has no character which YAML forbids or takes for
// a line break.
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

// isCleanWord reports whether eight bytes are ASCII, and none of them a control
// character but the line break. Each sum stays within its byte.
func isCleanWord(word uint64) bool {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
		low  = 0x7f * each
	)
	if word&high != 0 {
		return false
	}
	notControl := word + 0x60*each        // the high bit of what is a space or above
	notBreak := (word ^ '\n'*each) + low  // the high bit of what is no line break
	notDelete := (word ^ 0x7f*each) + low // the high bit of what is no DEL
	return (notControl|^notBreak)&notDelete&high == high
}

// isPrintable holds for the characters beyond ASCII that yaml.v3 takes, without
// the byte order mark and line breaks.
func isPrintable(r rune) bool {
	return r >= 0xa0 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

package manifest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// quoted returns where the quoted scalar that begins at from ends, 0 if it is
// not within the line or has an uncommon escape.
func quoted(line []byte, from int) int {
	end := quotedLine(line, from+1, line[from])
	if end == 0 || line[end] == '\n' {
		return 0
	}
	return end + 1
}

// quotedLine returns where the part of a quoted scalar ends that is in the line
// of from: at the quote, or at the line break. 0 if there is an uncommon escape
// or a tab in it.
func quotedLine(text []byte, from int, quote byte) int {
	for at := from; ; at++ {
		switch c := text[at]; {
		case c == '\n':
			return at
		case c == '\t':
			return 0
		case c == '\\' && quote == '"':
			length := escapeLength(text[at:])
			if length == 0 {
				return 0
			}
			at += length - 1
		case c != quote:
		case quote == '\'' && text[at+1] == '\'':
			at++
		default:
			return at
		}
	}
}

// escapeLength is the length of the escape that text begins with, 0 if it is
// uncommon. One of a line break is the backslash alone.
func escapeLength(text []byte) int {
	switch c := text[1]; c {
	case '\n':
		return 1
	case '"', '\\', 'n', 't', 'r', ' ':
		return 2
	case 'x', 'u', 'U':
		digits := escapedDigits(c)
		if escapedRune(text[2:], digits) < 0 {
			return 0
		}
		return 2 + digits
	}
	return 0
}

// escapedDigits is how many digits an escape has.
func escapedDigits(c byte) int {
	switch c {
	case 'x':
		return 2
	case 'u':
		return 4
	}
	return 8
}

// escapedRune is the character that a number of hexadecimal digits name, -1 if
// they don't, or if it is half of one.
func escapedRune(text []byte, digits int) rune {
	r := rune(0)
	for _, c := range text[:min(digits, len(text))] {
		at := strings.IndexByte("0123456789abcdef", c|0x20)
		if at < 0 || c < '0' || c > '9' && c < 'A' {
			return -1
		}
		r = r<<4 | rune(at) // #nosec G115 -- at is a digit
	}
	if len(text) < digits || !utf8.ValidRune(r) {
		return -1
	}
	return r
}

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

func skipBlanks(line []byte, at int) int {
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

package plainyaml

import (
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

package plainyaml

import (
	"bytes"
	"unicode/utf8"
)

// quoted returns where the quoted scalar that begins at from ends, 0 if it is
// not within the line or has an uncommon escape.
func quoted(line []byte, from int) int {
	quote := line[from]
	for at := from + 1; line[at] != '\n'; at++ {
		switch c := line[at]; {
		case c == '\t':
			return 0
		case c == '\\' && quote == '"':
			if at++; bytes.IndexByte([]byte(`"\nt`), line[at]) < 0 {
				return 0
			}
		case c != quote:
		case quote == '\'' && line[at+1] == '\'':
			at++
		default:
			return at + 1
		}
	}
	return 0
}

// quoted is quoted, and makes the node.
func (s *scanner) quoted(line []byte, from int) int {
	end := quoted(line, from)
	if end > 0 {
		s.tree.quoted(from, end)
	}
	return end
}

// isEnd holds if there is nothing more in the line at an index but a comment.
func isEnd(line []byte, at int) bool {
	from := at
	for line[at] == ' ' {
		at++
	}
	return line[at] == '\n' || line[at] == '#' && at > from
}

// plain returns where the plain scalar that begins at from ends, 0 if it is
// none.
func (s *scanner) plain(line []byte, from int) int {
	switch c := line[from]; {
	case bytes.IndexByte([]byte("&*!?|>%@`,]}#:-\t"), c) < 0:
	case c == '-' && line[from+1] != ' ' && line[from+1] != '\n':
	default:
		return 0
	}
	at := from
	for ; line[at] != '\n'; at++ {
		switch line[at] {
		case '\t':
			return 0
		case ':':
			if line[at+1] == ' ' || line[at+1] == '\n' || line[at+1] == '\t' {
				return 0
			}
		case '#':
			if line[at-1] == ' ' {
				return s.word(line, from, at-1)
			}
		}
	}
	return s.word(line, from, at)
}

// word ends a plain scalar before the spaces that come before end, and notes
// whether it is a null.
func (s *scanner) word(line []byte, from, end int) int {
	for line[end-1] == ' ' {
		end--
	}
	if isNull(line[from:end]) {
		s.item.Null = true
	}
	s.tree.word(from, end)
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

// isPrintable holds for the characters beyond ASCII that yaml.v3 takes, without
// the byte order mark and line breaks.
func isPrintable(r rune) bool {
	return r >= 0xa0 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

package plainyaml

import (
	"bytes"
	"unicode/utf8"
)

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

// value reads the value that begins at from, in a collection of the given
// column.
func (s *scanner) value(from, indent int) bool {
	line := s.text[:s.next]
	var end int
	switch c := line[from]; c {
	case '|', '>':
		return s.literal(from, indent)
	case '\'', '"':
		end = quoted(line, from)
	case '[', '{':
		end = s.flow(line, from, 0)
	default:
		end = s.plain(line, from)
	}
	return end > 0 && isEnd(line, end)
}

// isEnd holds if there is nothing more in the line at an index but a comment.
func isEnd(line []byte, at int) bool {
	from := at
	for line[at] == ' ' {
		at++
	}
	return line[at] == '\n' || line[at] == '#' && at > from
}

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
	return end
}

func isNull(word []byte) bool {
	switch string(word) {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}

// literal reads a literal or folded block, whose header begins at from, and
// goes on to its last line. Its lines are all those deeper than the collection
// that it is in; the first that is not empty says how deep.
func (s *scanner) literal(from, indent int) bool {
	from++
	if s.text[from] == '-' || s.text[from] == '+' {
		from++
	}
	if s.text[from] != '\n' {
		return false
	}
	depth, blank := 0, 0
	for s.next < len(s.text) {
		end := s.next + bytes.IndexByte(s.text[s.next:], '\n')
		if end < s.next {
			return false
		}
		at := s.next
		for s.text[at] == ' ' {
			at++
		}
		spaces := at - s.next
		switch {
		case at == end:
			blank = max(blank, spaces)
		case spaces <= indent && s.text[at] != '\t':
			return true
		case depth == 0 && (blank > spaces || s.text[at] == '\t'), spaces < depth, spaces <= indent:
			return false
		case depth == 0:
			depth = spaces
		}
		s.next = end + 1
	}
	return true
}

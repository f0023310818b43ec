package plainyaml

import (
	"bytes"
)

// value reads the value that begins at from, in a collection of the given
// column.
func (s *scanner) value(from, indent int) bool {
	line := s.text[:s.next]
	var end int
	switch c := line[from]; c {
	case '|', '>':
		return s.literal(from, indent)
	case '\'', '"':
		end = s.quoted(line, from)
	case '[', '{':
		end = s.flow(line, from, 0)
	default:
		end = s.plain(line, from)
	}
	return end > 0 && isEnd(line, end)
}

// literal reads a literal or folded block, whose header begins at from, and
// goes on to its last line. Its lines are all those deeper than the collection
// that it is in; the first that is not empty says how deep.
func (s *scanner) literal(from, indent int) bool {
	s.tree.literal(from)
	defer s.tree.literalEnd()
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
		s.tree.literalLine(s.next, end, depth)
		s.next = end + 1
	}
	return true
}

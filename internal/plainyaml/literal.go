package plainyaml

import "bytes"

// literal reads a literal or folded block, whose header begins at from, and
// goes on to its last line. Its lines are all those deeper than the collection
// that it is in; a digit in the header, or else the first that is not empty, says
// how deep.
func (s *scanner) literal(from, indent int) bool {
	s.tree.literal(from)
	defer s.tree.literalEnd()
	depth, ok := s.literalHeader(from+1, indent)
	if !ok {
		return false
	}
	blank := 0
	for s.next < len(s.text) {
		end := s.next + bytes.IndexByte(s.text[s.next:], '\n')
		at := skipSpaces(s.text, s.next)
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
	s.item.literal = true
	return true
}

// literalHeader reads what is behind the indicator of a block in a collection of
// a column: how deep its lines are, 0 if they tell.
func (s *scanner) literalHeader(at, indent int) (depth int, ok bool) {
	chomped := false
	for range 2 {
		switch c := s.text[at]; {
		case '1' <= c && c <= '9' && depth == 0:
			depth = indent + int(c-'0')
			at++
		case (c == '-' || c == '+') && !chomped:
			chomped = true
			s.tree.literalChomp(c)
			at++
		}
	}
	return depth, s.text[at] == '\n'
}

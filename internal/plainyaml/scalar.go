package plainyaml

// value reads the value that begins at from, in a collection of the given
// column, and what its last line has behind it.
func (s *scanner) value(from, indent int) bool {
	var end int
	switch s.text[from] {
	case '|', '>':
		return s.literal(from, indent)
	case '\'', '"':
		end = s.quoted(from, indent)
	case '[', '{':
		end = s.flow(from, indent, 0)
	default:
		end = s.plain(from, indent)
	}
	return end > 0 && isEnd(s.text, end)
}

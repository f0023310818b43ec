package plainyaml

import "go.yaml.in/yaml/v3"

// maxFlow bounds how deep flow collections may lie in each other.
const maxFlow = 16

// flow reads the flow collection that begins at from, in a block collection of a
// column, and returns where it ends; 0 if it has something else than plain words,
// quoted scalars and such collections. Its further lines are deeper than the
// column.
func (s *scanner) flow(from, indent, depth int) int {
	shut, mapping := byte(']'), s.text[from] == '{'
	if mapping {
		shut = '}'
	}
	s.tree.begin(!mapping, from, yaml.FlowStyle)
	at := s.flowSpace(from+1, indent)
	if at > 0 && s.text[at] == shut {
		s.tree.end()
		return at + 1
	}
	for at > 0 && depth < maxFlow {
		if mapping {
			at = s.flowKey(at)
		}
		if at > 0 {
			at = s.flowValue(at, indent, depth)
		}
		if at > 0 {
			at = s.flowSpace(at, indent)
		}
		switch {
		case at == 0:
			return 0
		case s.text[at] == shut:
			s.tree.end()
			return at + 1
		case s.text[at] != ',':
			return 0
		}
		at = s.flowSpace(at+1, indent)
	}
	return 0
}

// flowSpace goes past spaces and line breaks; 0 if what is below them is not
// within the collection, or is a comment.
func (s *scanner) flowSpace(at, indent int) int {
	at = skipSpaces(s.text, at)
	if s.text[at] == '\n' {
		at, _ = s.more(indent)
	}
	if at > 0 && s.text[at] == '#' {
		return 0
	}
	return at
}

// flowKey reads a key and its colon, and returns where the value begins, in the
// same line.
func (s *scanner) flowKey(from int) int {
	end := s.keyOf(from, isDash)
	if end == 0 {
		return 0
	}
	s.name(from, end)
	return skipSpaces(s.text, end+1)
}

func (s *scanner) flowValue(from, indent, depth int) int {
	switch c := s.text[from]; {
	case c == '[' || c == '{':
		return s.flow(from, indent, depth+1)
	case c == '\'' || c == '"':
		return s.quoted(from, indent)
	case !isWord(c) && (c != '-' || !isWord(s.text[from+1]) && s.text[from+1] != '-'):
		return 0
	}
	at := from + 1
	for isFlowText(s.text[at]) || isBetween(s.text[at]) && isWord(s.text[at+1]) {
		at++
	}
	s.word(from, at)
	return at
}

// isFlowText reports whether a plain scalar of a flow collection may have a byte
// that is not its first, whatever is around it.
func isFlowText(c byte) bool { return isWord(c) || c == '-' || c == '=' || c == '+' || c == '*' }

// isBetween reports whether a plain scalar of a flow collection may have a byte
// before a word.
func isBetween(c byte) bool { return c == ' ' || c == ':' || c == '@' }

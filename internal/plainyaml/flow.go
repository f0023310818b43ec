package plainyaml

import "go.yaml.in/yaml/v3"

// maxFlow bounds how deep flow collections may lie in each other.
const maxFlow = 16

// flow returns where the flow collection that begins at from ends, 0 if it is
// not within the line or has something else than plain words, quoted scalars
// and such collections.
func (s *scanner) flow(line []byte, from, depth int) int {
	shut, mapping := byte(']'), line[from] == '{'
	if mapping {
		shut = '}'
	}
	s.tree.begin(!mapping, from, yaml.FlowStyle)
	at := skipSpaces(line, from+1)
	if line[at] == shut {
		s.tree.end()
		return at + 1
	}
	for depth < maxFlow {
		if mapping {
			if at = s.flowKey(line, at); at == 0 {
				return 0
			}
		}
		if at = s.flowValue(line, at, depth); at == 0 {
			return 0
		}
		switch at = skipSpaces(line, at); line[at] {
		case shut:
			s.tree.end()
			return at + 1
		case ',':
			at = skipSpaces(line, at+1)
		default:
			return 0
		}
	}
	return 0
}

// flowKey reads a plain key and its colon, and returns where the value begins.
func (s *scanner) flowKey(line []byte, from int) int {
	end := s.key(from)
	if end == 0 {
		return 0
	}
	if isNull(line[from:end]) {
		s.item.Null = true
	}
	s.tree.word(from, end)
	return skipSpaces(line, end+1)
}

func (s *scanner) flowValue(line []byte, from, depth int) int {
	switch c := line[from]; {
	case c == '[' || c == '{':
		return s.flow(line, from, depth+1)
	case c == '\'' || c == '"':
		return s.quoted(line, from)
	case !isWord(c):
		return 0
	}
	at := from
	for isWord(line[at]) || line[at] == '-' {
		at++
	}
	return s.word(line, from, at)
}

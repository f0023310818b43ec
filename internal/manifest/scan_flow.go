package manifest

import "bytes"

// maxFlow limits the depth of nested flow collections in skimmed lines.
const maxFlow = 16

// flow reads the flow collection that begins at from, in a block collection of a column, and returns its end, 0 if it
// is not understood. In a plain text it has plain words, quoted scalars and such collections, and its further lines
// are deeper than the column.
func (s *scanner) flow(from, indent, depth int) int {
	list := s.text[from] == '['
	s.keys.push()
	s.tree.begin(list, from)
	at, comma := s.between(from+1, indent, false)
	s.tree.takeComments(from+1, at)
	for first := true; at > 0; first = false {
		if c := s.text[at]; c == ']' && list || c == '}' && !list {
			if comma && !s.loosely() {
				return 0
			}
			s.keys.pop()
			s.tree.endFlow(at + 1)
			return at + 1
		}
		if !first && !comma || depth > maxOpen && !s.loosely() || depth > maxParsed || depth == maxFlow && s.tree == nil && !s.brackets {
			return 0
		}
		if at = s.member(at, indent, depth, list); at == 0 {
			return 0
		}
		end := at
		at, comma = s.between(at, indent, true)
		s.tree.takeComments(end, at)
	}
	return 0
}

// between skips white space, comments, and one comma if may is true, in brackets. It returns 0 if the text ends or is
// not understood.
func (s *scanner) between(at, indent int, may bool) (next int, comma bool) {
	for at > 0 {
		switch c := s.text[at]; {
		case c == ' ':
			at++
		case c == '\n':
			s.next = at + 1
			at = s.inside(indent)
		case c == ',' && may && !comma:
			comma = true
			at++
		case c == '\t' && (s.brackets || s.loosely()):
			at++
		case c == '#' && s.loosely():
			at = lineEnd(s.text, at)
		default:
			return at, comma
		}
	}
	return 0, false
}

// member reads an entry of a flow collection, and returns its end.
func (s *scanner) member(at, indent, depth int, list bool) int {
	key := at
	s.tree.member(at)
	if !list {
		if at = s.flowKey(at, indent); at == 0 {
			return 0
		}
	} else if s.isPair(at) {
		return s.pair(at, indent, depth)
	}
	if s.visit != nil && depth == 0 {
		return s.visit(key, at)
	}
	return s.flowValue(at, indent, depth)
}

// isPair reports whether an element of a list in brackets is a field without brackets around it, such as b in [a, b: 1].
func (s *scanner) isPair(at int) bool {
	if s.tree == nil || !isPlainStart(s.text, at) && s.text[at] != '"' && s.text[at] != '\'' {
		return false
	}
	end, _ := s.key(at, true)
	return end > 0
}

// pair reads a mapping of one field without brackets around it, and returns its end.
func (s *scanner) pair(at, indent, depth int) int {
	s.loosely()
	p := s.tree.begin(false, at)
	p.pair = true
	s.keys.push()
	s.tree.member(at)
	if at = s.flowKey(at, indent); at > 0 {
		at = s.flowValue(at, indent, depth)
	}
	if at == 0 {
		return 0
	}
	s.keys.pop()
	s.tree.endFlow(at)
	return at
}

// members reads the collection in brackets that begins at an index, with visit for its entries, and returns its end,
// 0 if it is not plain.
func (s *scanner) members(from int, visit func(key, value int) int) int {
	outer := s.visit
	s.visit = visit
	end := s.flow(from, -1, 0)
	s.visit = outer
	return end
}

// Elements returns the span of a list in brackets, and the spans of its elements. The list is a field of a mapping in
// brackets, such as JSON. ok is false if the text is not plain, has no line break at its end, or does not have
// exactly one such field.
func Elements(text []byte, field string) (list Span, elements []Span, ok bool) {
	start := len(text) - len(bytes.TrimLeft(text, " \t\n"))
	if start == len(text) || text[start] != '{' || !isWhole(text) {
		return list, nil, false
	}
	count := 0
	s := scanner{text: text, item: &Skim{}, brackets: true}
	element := func(_, value int) int {
		end := s.flowValue(value, -1, 0)
		elements = append(elements, Span{value, end})
		return end
	}
	end := s.members(start, func(key, value int) int {
		if string(s.flowName(key)) != field || text[value] != '[' {
			return s.flowValue(value, -1, 0)
		}
		list[0], list[1], count = value, s.members(value, element), count+1
		return list[1]
	})
	return list, elements, end > 0 && count == 1 && len(bytes.TrimSpace(text[end:])) == 0
}

// flowName returns the name of the key in double quotes that begins at an index, nil if it has no such quotes or an
// escape.
func (s *scanner) flowName(key int) []byte {
	if s.text[key] != '"' {
		return nil
	}
	if name := s.text[key+1 : s.quotedEnd(key)-1]; bytes.IndexByte(name, '\\') < 0 {
		return name
	}
	return nil
}

// flowKey reads a key and its colon, and returns the beginning of the value.
func (s *scanner) flowKey(from, indent int) int {
	end, colon := s.key(from, true)
	if end == 0 {
		return s.loneKey(from)
	}
	s.keys.add(from, end)
	if s.tree != nil {
		s.tree.key(from, end)
		s.tree.mark(colon + 1)
		s.tree.markOdd(s.text[end:colon])
	} else if isNull(s.text[from:end]) {
		s.item.Null = true
	}
	at := skipBlanks(s.text, colon+1)
	if c := s.text[at]; c != '\n' && c != '\t' && c != '#' {
		return at
	}
	next, _ := s.between(at, indent, false)
	if next > 0 && s.text[next] != ',' && s.text[next] != '}' {
		s.tree.markOdd(s.text[at:next])
	}
	return next
}

// loneKey reads a key without a colon, and returns its end.
func (s *scanner) loneKey(from int) int {
	if s.tree == nil {
		return 0
	}
	end := from
	if c := s.text[from]; c == '"' || c == '\'' {
		if end = s.quotedEnd(from); end == 0 {
			return 0
		}
	}
	next := plainStop(s.text, end, true)
	if end = trimLeft(s.text, next); end <= from || s.text[next] != ',' && s.text[next] != '}' || !isPlainStart(s.text, from) {
		return 0
	}
	s.tree.unsure = true
	s.tree.key(from, end)
	s.tree.mark(end)
	s.tree.open[len(s.tree.open)-1].place.odd = true
	return next
}

// flowValue reads a value in brackets, and returns its end.
func (s *scanner) flowValue(from, indent, depth int) int {
	switch c := s.text[from]; {
	case c == '[' || c == '{':
		return s.flow(from, indent, depth+1)
	case c == '\'' || c == '"':
		return s.quoted(from, indent)
	case c == ',' || c == '}':
		return s.flowNull(from)
	case c == '&' || c == '!':
		return s.flowMarked(from, indent, depth)
	case c == '*':
		return s.alias(from)
	}
	return s.plain(from, indent, true)
}

// flowMarked reads a value in brackets with an anchor or a tag, and returns its end.
func (s *scanner) flowMarked(from, indent, depth int) int {
	if !s.loosely() || s.tree.properties.on {
		return 0
	}
	at := s.readProperties(from, true)
	if s.text[at] == '\n' || s.text[at] == '#' {
		at, _ = s.between(at, indent, false)
	}
	if at == 0 || isFlowSign(s.text[at]) && s.text[at] != '[' && s.text[at] != '{' {
		return 0
	}
	return s.flowValue(at, indent, depth)
}

// flowNull reads a missing value, in a text that is not plain.
func (s *scanner) flowNull(at int) int {
	if !s.loosely() {
		return 0
	}
	s.tree.flowNull()
	return at
}

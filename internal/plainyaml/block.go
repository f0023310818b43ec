package plainyaml

import "bytes"

// scan tells whether the text is plain.
func (s *scanner) scan() bool {
	for ; s.at < len(s.text); s.at = s.next {
		end := bytes.IndexByte(s.text[s.at:], '\n')
		if end < 0 {
			return false
		}
		s.next = s.at + end + 1
		s.tree.line(s.at)
		from := s.at
		for s.text[from] == ' ' {
			from++
		}
		switch s.text[from] {
		case '\n':
			s.loosen()
		case '#':
			s.loosen()
			s.comment = true
		default:
			if !s.line(from) {
				return false
			}
			s.comment = false
		}
	}
	if s.await {
		s.null()
	}
	return s.tree != nil || !s.comment // for the parser to say whose it is
}

// null notes that the last field has no value.
func (s *scanner) null() {
	s.item.Null = true
	s.tree.null()
}

// loosen notes that an empty line or a comment may belong to an annotation.
func (s *scanner) loosen() {
	s.item.loose = s.item.loose || s.within == annotations
}

// line reads the line whose text begins at from.
func (s *scanner) line(from int) bool {
	indent := from - s.at
	dash := s.text[from] == '-' && (s.text[from+1] == ' ' || s.text[from+1] == '\n')
	if !s.enter(indent, dash) {
		return false
	}
	if !dash {
		end := s.key(from)
		return end > 0 && s.field(from, end)
	}
	from += 2
	if from >= s.next || s.text[from] == ' ' || s.text[from] == '\n' {
		return false
	}
	if end := s.key(from); end > 0 {
		return s.push(block{indent: indent + 2}) && s.field(from, end)
	}
	return len(s.open) > 1 && s.value(from, indent)
}

// enter finds the open collection that a line goes on, or opens one. What is
// deeper is closed.
func (s *scanner) enter(indent int, dash bool) bool {
	if top := s.top(); s.await {
		s.await = false
		if indent > top.indent || dash && indent == top.indent {
			return s.push(block{indent, dash})
		}
		s.null()
	}
	for len(s.open) > 1 && s.top().indent > indent {
		s.pop()
	}
	if top := s.top(); top.dash && !dash && top.indent == indent && len(s.open) > 1 {
		s.pop() // a sequence at the column of its key
	}
	return s.top() == block{indent, dash} && (len(s.open) > 1 || s.at == 0)
}

// push opens a collection, unless too many are open.
func (s *scanner) push(b block) bool {
	s.open = append(s.open, b)
	s.tree.begin(b.dash, s.at+b.indent, 0)
	return len(s.open) <= maxOpen
}

// pop closes the innermost collection.
func (s *scanner) pop() {
	s.open = s.open[:len(s.open)-1]
	s.tree.end()
}

// field reads the field with the key between from and end, a colon.
func (s *scanner) field(from, end int) bool {
	if isNull(s.text[from:end]) {
		s.item.Null = true
	}
	at := end + 1
	for s.text[at] == ' ' {
		at++
	}
	s.tree.word(from, end)
	if s.tree == nil && !s.takeNote(s.text[from:end], at) {
		return false
	}
	if s.text[at] == '\n' || s.text[at] == '#' {
		s.await = true
		s.tree.await(end + 1)
		return true
	}
	return s.value(at, s.top().indent)
}

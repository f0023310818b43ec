package plainyaml

import "bytes"

// scan tells whether the text is plain.
func (s *scanner) scan() bool {
	for ; s.at < len(s.text); s.at = s.next {
		s.next = s.at + bytes.IndexByte(s.text[s.at:], '\n') + 1
		s.tree.line(s.at)
		from := s.at
		for s.text[from] == ' ' {
			from++
		}
		if c := s.text[from]; c == '\n' || c == '#' {
			s.loosen()
		} else if !s.line(from) {
			return false
		}
	}
	if s.await {
		s.null()
	}
	return true
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
	end := 0
	if !dash {
		if end = s.key(from); end == 0 {
			return s.below(from, indent)
		}
	}
	if !s.enter(indent, dash) {
		return false
	}
	if !dash {
		return s.bodies != nil && s.skip(s.text[from:end]) || s.field(from, end)
	}
	at := skipSpaces(s.text, from+1)
	if s.text[at] == '\n' || s.text[at] == '#' {
		s.await = true
		s.tree.await(from + 1)
		return true
	}
	if from += 2; at > from {
		return false
	}
	if end := s.key(from); end > 0 {
		return s.push(block{indent: indent + 2}) && s.field(from, end)
	}
	return len(s.open) > 1 && s.value(from, indent)
}

// below reads a value that begins in the line below its key.
func (s *scanner) below(from, indent int) bool {
	if !s.await || indent <= s.top().indent || len(s.open) == 1 {
		return false
	}
	s.await = false
	return s.value(from, s.top().indent)
}

// enter finds the open collection that a line goes on, or opens one. What is
// deeper is closed.
func (s *scanner) enter(indent int, dash bool) bool {
	if top := s.top(); s.await {
		s.await = false
		if indent > top.indent || dash && !top.dash && indent == top.indent {
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
	at := skipSpaces(s.text, end+1)
	s.name(from, end)
	if s.leave == nil && s.tree == nil && !s.takeNote(from, end, at) {
		return false
	}
	if s.text[at] == '\n' && s.leave != nil && bytes.Equal(s.text[from:end], s.leave) && s.leaveOut() {
		return true
	}
	if s.text[at] == '\n' || s.text[at] == '#' {
		s.await = true
		s.tree.await(end + 1)
		return true
	}
	next := s.next
	return s.value(at, s.top().indent) && (s.next == next || s.lengthen())
}

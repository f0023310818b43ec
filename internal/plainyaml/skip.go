package plainyaml

// skip goes to the end of the text, if the body that begins in the line with the key is
// known. Else it notes that the body is read.
func (s *scanner) skip(key []byte) bool {
	if len(s.open) != 2 || !s.item.some || isHeadKey(key) {
		return false
	}
	b, rest := s.bodies, s.text[s.at:]
	if s.bodies = nil; len(rest) < b.least {
		return false
	}
	found, known := b.find(rest)
	if !known {
		s.body = &reading{found, s.item.head, s.item.Null}
		s.item.Null = false
		return false
	}
	s.item.Null, s.item.literal = s.item.Null || found.null, found.literal
	s.clean, s.next = s.at, len(s.text)
	return true
}

// isHeadKey reports whether a key may be of a field that the head has.
func isHeadKey(key []byte) bool {
	switch string(key) {
	case "apiVersion", "kind", "metadata":
		return true
	}
	return key[0] == '"' || key[0] == '\''
}

// keep adds the body of an item that was found to be plain to bodies, unless it says
// something that belongs to the head.
func (s *scanner) keep(bodies *Bodies) {
	r := s.body
	if r == nil {
		return
	}
	r.body.null, r.literal = s.item.Null, s.item.literal
	s.item.Null = s.item.Null || r.null
	if s.item.head == r.head {
		bodies.add(r.body)
	}
}

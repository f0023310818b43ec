package manifest

import "bytes"

// block is an open block collection: the column of its keys or dashes.
type openBlock struct {
	indent int
	dash   bool // a sequence
}

// scanner goes over the lines of an item and keeps account of what is open.
type skimmer struct {
	text []byte
	item *Skim
	tree *tree // nil if the item is only skimmed

	at     int         // the start of the line
	next   int         // the start of the next one
	open   []openBlock // outermost first
	within section     // which part of the item the last field is in
	await  bool        // the last field has no value yet: what is deeper is its value
	noted  note        // what was noted of the field that is read

	bodies *Bodies  // where the body is looked up, nil if that is done or there are none
	body   *reading // nil if the body is not to be known
	clean  int      // up to where no character is known to be one of YAML

	leave []byte // the name of fields whose values are not looked into; nil if there are none
	left  []span // where these are
}

// note says what was noted of a field.
type note int

const (
	nothing note = iota
	scalar
	annotation
)

func (s *skimmer) top() openBlock { return s.open[len(s.open)-1] }

// key returns where the key of a block mapping that begins at from ends, 0 if there is
// no plain or quoted one. A plain one is a word that may have all signs in it, such as
// the k:{"name":"web"} of managedFields.
func (s *skimmer) key(from int) int { return s.keyOf(from, isSign) }

// keyOf is key for one of which no byte but the first has to be of a word, if may holds
// for it.
func (s *skimmer) keyOf(from int, may func(c byte) bool) int {
	if c := s.text[from]; c == '"' || c == '\'' {
		return s.quotedKey(from)
	}
	if !isWord(s.text[from]) {
		return 0
	}
	for at := from + 1; at < from+maxKey; at++ { // a line break ends it
		c := s.text[at]
		if c == ':' && (s.text[at+1] == ' ' || s.text[at+1] == '\n') {
			return at
		}
		if !isWord(c) && !may(c) {
			return 0
		}
	}
	return 0
}

// isSign reports whether a byte is of ASCII, and no white space.
func isSign(c byte) bool { return ' ' < c && c < 0x7f }

func isDashByte(c byte) bool { return c == '-' }

// quotedKey is key for one with quotes.
func (s *skimmer) quotedKey(from int) int {
	end := quoted(s.text, from)
	if end == 0 || end > from+maxKey || s.text[end] != ':' || s.text[end+1] != ' ' && s.text[end+1] != '\n' {
		return 0
	}
	return end
}

// name takes the key between from and end.
func (s *skimmer) name(from, end int) {
	if s.text[from] == '"' || s.text[from] == '\'' {
		s.tree.quoted(from, end)
		return
	}
	s.word(from, end)
}

// word takes a plain scalar of one line, and notes whether it is a null.
func (s *skimmer) word(from, end int) {
	if isNull(s.text[from:end]) {
		s.item.Null = true
	}
	s.tree.word(from, end)
}

// isWord reports whether a key or a scalar of a flow collection may begin with
// a byte and consist of such bytes, whatever is around them.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/' || c == '$'
}

const (
	// maxOpen bounds how deep collections lie in each other, as the merge does.
	maxOpen = 1000
	// maxKey bounds a key: YAML's is 1024, and what one types is much shorter.
	maxKey = 128
)

// value reads the value that begins at from, in a collection of the given
// column, and what its last line has behind it.
func (s *skimmer) value(from, indent int) bool {
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

// skip goes to the end of the text, if the body that begins in the line with the key is
// known. Else it notes that the body is read.
func (s *skimmer) skip(key []byte) bool {
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
func (s *skimmer) keep(bodies *Bodies) {
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

// scan tells whether the text is plain.
func (s *skimmer) scan() bool {
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
func (s *skimmer) null() {
	s.item.Null = true
	s.tree.null()
}

// loosen notes that an empty line or a comment may belong to an annotation.
func (s *skimmer) loosen() {
	s.item.loose = s.item.loose || s.within == annotations
}

// line reads the line whose text begins at from.
func (s *skimmer) line(from int) bool {
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
	at := skipBlanks(s.text, from+1)
	if s.text[at] == '\n' || s.text[at] == '#' {
		s.await = true
		s.tree.await(from + 1)
		return true
	}
	if from += 2; at > from {
		return false
	}
	if end := s.key(from); end > 0 {
		return s.push(openBlock{indent: indent + 2}) && s.field(from, end)
	}
	return len(s.open) > 1 && s.value(from, indent)
}

// below reads a value that begins in the line below its key.
func (s *skimmer) below(from, indent int) bool {
	if !s.await || indent <= s.top().indent || len(s.open) == 1 {
		return false
	}
	s.await = false
	return s.value(from, s.top().indent)
}

// enter finds the open collection that a line goes on, or opens one. What is
// deeper is closed.
func (s *skimmer) enter(indent int, dash bool) bool {
	if top := s.top(); s.await {
		s.await = false
		if indent > top.indent || dash && !top.dash && indent == top.indent {
			return s.push(openBlock{indent, dash})
		}
		s.null()
	}
	for len(s.open) > 1 && s.top().indent > indent {
		s.pop()
	}
	if top := s.top(); top.dash && !dash && top.indent == indent && len(s.open) > 1 {
		s.pop() // a sequence at the column of its key
	}
	return s.top() == openBlock{indent, dash} && (len(s.open) > 1 || s.at == 0)
}

// push opens a collection, unless too many are open.
func (s *skimmer) push(b openBlock) bool {
	s.open = append(s.open, b)
	s.tree.begin(b.dash, s.at+b.indent, 0)
	return len(s.open) <= maxOpen
}

// pop closes the innermost collection.
func (s *skimmer) pop() {
	s.open = s.open[:len(s.open)-1]
	s.tree.end()
}

// field reads the field with the key between from and end, a colon.
func (s *skimmer) field(from, end int) bool {
	at := skipBlanks(s.text, end+1)
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

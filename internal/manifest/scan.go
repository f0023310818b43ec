package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// openBlock is an open block collection: the column of its keys or dashes.
type openBlock struct {
	indent int
	dash   bool // a sequence
}

// scanner reads the lines of a text and keeps a stack of the open collections. It skims an item, or makes the tree of
// a text.
//
// A text is plain if it is in a strict part of YAML, in which the open collections decide the meaning of every line:
// then the parser certainly agrees. The tree of another text is right only if the parser reads the same nodes in the
// same places.
type scanner struct {
	text []byte
	item *Skim
	tree *tree // nil if the item is only skimmed

	at       int         // the start of the line
	next     int         // the start of the next one
	open     []openBlock // outermost first
	within   section     // the part of the item with the last field
	await    bool        // the last field has no value yet: a deeper line begins it
	lastPart headPart    // the note about the field being read

	keys   *keys    // nil if repeated keys do not matter
	bodies *Bodies  // the known bodies to look up, nil behind the look-up or without any
	body   *reading // nil if the body is not to be kept
	clean  int      // the end of the part known to have no unusual white space or control characters

	brackets bool                     // the text is in brackets, such as JSON, and only skimmed: its white space may have tabs
	visit    func(key, value int) int // reads the value of each entry of the collection in brackets being read, and returns its end

	leave []byte              // the name of the fields whose values are skipped; nil if there are none
	left  map[*yaml.Node]span // the spans of the skipped values, by the nulls in their places
}

// loosely reports whether the scanner may go on with a text that is not plain.
func (s *scanner) loosely() bool {
	if s.tree == nil {
		return false
	}
	s.tree.unsure = true
	return true
}

func (s *scanner) top() openBlock { return s.open[len(s.open)-1] }

// scan reports whether the text was understood.
func (s *scanner) scan() bool {
	for ; s.at < len(s.text); s.at = s.next {
		s.next = s.at + bytes.IndexByte(s.text[s.at:], '\n') + 1
		s.tree.line(s.at)
		from := s.skipWhite(s.at)
		switch c := s.text[from]; {
		case c == '\n' || c == '#':
			s.item.loose = s.item.loose || s.within == annotations // it may belong to an annotation
			s.tree.addGapLine(s.at, from, s.next)
		case from == s.at && (c == '%' || c == '-' || c == '.') && s.isMarker():
			if !s.marker() {
				return false
			}
		case !s.line(from):
			return false
		}
	}
	if s.await && len(s.open) > 1 {
		s.null()
	}
	return s.finish()
}

// finish closes the open collections at the end of the text.
func (s *scanner) finish() bool {
	if s.tree == nil {
		return true
	}
	s.tree.follow(s.open, 0)
	for len(s.open) > 1 {
		s.pop()
	}
	return s.tree.finish()
}

// isMarker reports whether the line begins or ends a document, or is a directive.
func (s *scanner) isMarker() bool {
	line := s.text[s.at:s.next]
	return s.tree != nil && (line[0] == '%' && s.tree.top == nil || isMarker(line))
}

// marker goes past the marker of a document, and to the end of the text if the document ends.
func (s *scanner) marker() bool {
	s.tree.unsure = true
	if s.tree.top != nil {
		s.next = len(s.text)
		return true
	}
	from := s.next
	if s.text[s.at] != '%' {
		if at := skipSpaces(s.text, s.at+3); s.text[at] != '\n' && s.text[at] != '#' {
			from = at
		}
	}
	s.tree.gap.reset(from)
	return from == s.next || s.below(from, from-s.at)
}

// line reads the line whose first byte other than a space is at from.
func (s *scanner) line(from int) bool {
	indent := from - s.at
	dash := isDash(s.text, from)
	end, colon := 0, 0
	if !dash {
		if end, colon = s.key(from, false); end == 0 {
			if s.isQuestion(from) {
				return s.enter(from, false) && s.question(from)
			}
			return s.below(from, indent)
		}
	}
	if !s.enter(from, dash) {
		return false
	}
	if !dash {
		return s.bodies != nil && s.skip(s.text[from:end]) || s.field(from, end, colon)
	}
	return s.dash(from)
}

// dash reads the rest of the line behind the dash at an index.
func (s *scanner) dash(from int) bool {
	s.tree.entry(from, from+1, len(s.open)-1)
	indent, at := from-s.at, s.skipWhite(from+1)
	if s.awaits(at, from+1) {
		return true
	}
	if at != from+2 && !s.loosely() {
		return false
	}
	return s.inLine(at, indent)
}

// inLine reads the value that begins at an index, in the line of its dash, or of the colon below a question mark: there, a
// collection over lines may begin, too.
func (s *scanner) inLine(at, indent int) bool {
	if end, colon := s.key(at, false); end > 0 {
		return s.push(openBlock{indent: at - s.at}, false) && s.field(at, end, colon)
	}
	if s.isQuestion(at) {
		return s.push(openBlock{indent: at - s.at}, false) && s.question(at)
	}
	if isDash(s.text, at) && s.loosely() {
		return s.push(openBlock{at - s.at, true}, false) && s.dash(at)
	}
	return len(s.open) > 1 && s.value(at, indent)
}

// isQuestion reports whether a key with a question mark begins at an index.
func (s *scanner) isQuestion(at int) bool {
	return s.text[at] == '?' && isBlankByte(s.text[at+1]) && s.loosely()
}

// question reads a key with a question mark, in a line of its own, and its value.
func (s *scanner) question(from int) bool {
	at := skipSpaces(s.text, from+1)
	s.tree.entry(from, from+1, len(s.open)-1)
	s.tree.last().question = true
	end, _ := s.plainLine(at, false)
	if c := s.text[at]; c == '"' || c == '\'' {
		end = s.quotedEnd(at)
	}
	if end <= at || !isPlainStart(s.text, at) || !isEnd(s.text, end) {
		return false
	}
	s.tree.key(at, end)
	for s.next < len(s.text) {
		s.at = s.next
		s.tree.line(s.at)
		s.next = s.at + bytes.IndexByte(s.text[s.at:], '\n') + 1
		if at = skipSpaces(s.text, s.at); s.text[at] != '#' && s.text[at] != '\n' {
			if s.text[at] != ':' {
				return false
			}
			s.tree.mark(at + 1)
			from = s.skipWhite(at + 1)
			return s.awaits(from, at+1) || s.inLine(from, s.top().indent)
		}
	}
	return false
}

// below reads a value that begins in the line below its key, or the anchor, the tag or the brackets of a whole document.
func (s *scanner) below(from, indent int) bool {
	switch {
	case !s.await || indent <= s.top().indent:
		return false
	case len(s.open) > 1:
		s.await = false
		return (s.tree == nil || !s.tree.properties.on) && s.value(from, s.top().indent) && s.tree.isBelow(from)
	case s.tree == nil:
		return false
	}
	at := from
	if c := s.text[from]; (c == '&' || c == '!') && s.loosely() && !s.tree.properties.on {
		if at = s.readProperties(from, false); s.text[at] == '\n' {
			return s.awaits(at, s.tree.properties.end)
		}
	}
	if s.text[at] != '{' && s.text[at] != '[' {
		return false
	}
	s.await = false
	s.tree.root(from, true)
	return s.value(at, -1)
}

// enter finds the open collection of the line whose text begins at from, or opens one. Deeper collections are closed.
func (s *scanner) enter(from int, dash bool) bool {
	indent := from - s.at
	if top := s.top(); s.await {
		s.await = false
		if indent > top.indent || dash && !top.dash && indent == top.indent {
			if len(s.open) == 1 {
				s.tree.root(from, false)
			}
			return s.push(openBlock{indent, dash}, true)
		}
		s.null()
	}
	level := len(s.open) - 1
	for level > 0 && s.open[level].indent > indent {
		level--
	}
	if top := s.open[level]; top.dash && !dash && top.indent == indent && level > 0 {
		level-- // a sequence at the column of its key
	}
	s.tree.follow(s.open, level)
	for level < len(s.open)-1 {
		s.pop()
	}
	return s.open[level] == openBlock{indent, dash} && (level > 0 || s.at == 0)
}

// null notes that the last field has no value.
func (s *scanner) null() {
	s.item.Null = true
	s.tree.null()
}

// push opens a collection, unless too many are open. below reports whether it is below the line of its parent.
func (s *scanner) push(b openBlock, below bool) bool {
	s.open = append(s.open, b)
	s.keys.push()
	if s.tree != nil {
		s.tree.push(b, s.at+b.indent, len(s.open)-1, below)
	}
	return len(s.open) <= maxOpen || len(s.open) < maxParsed && s.loosely()
}

// pop closes the innermost collection.
func (s *scanner) pop() {
	s.open = s.open[:len(s.open)-1]
	s.keys.pop()
	s.tree.pop(len(s.open))
}

// field reads the field whose key is between from and end.
func (s *scanner) field(from, end, colon int) bool {
	at := skipBlanks(s.text, colon+1)
	s.keys.add(from, end)
	if s.tree != nil {
		s.tree.entry(from, colon+1, len(s.open)-1)
		s.tree.key(from, end)
		if s.text[at] == '\n' && s.leave != nil && bytes.Equal(s.text[from:end], s.leave) && s.leaveOut(colon+1) {
			return true
		}
	} else if s.item.Null = s.item.Null || isNull(s.text[from:end]); !s.readHeadField(from, end, at) {
		return false
	}
	next := s.next
	return s.behind(colon) && (s.next == next || s.lengthen())
}

// behind reads the value behind a colon.
func (s *scanner) behind(colon int) bool {
	at := s.skipWhite(colon + 1)
	s.tree.mark(colon + 1)
	return s.awaits(at, colon+1) || s.value(at, s.top().indent)
}

// skipWhite is skipBlanks for a text that may have tabs in brackets, or if it is not plain.
func (s *scanner) skipWhite(at int) int {
	at = skipBlanks(s.text, at)
	if s.text[at] == '\t' && (s.brackets || s.loosely()) {
		at = skipSpaces(s.text, at)
	}
	return at
}

// awaits reports whether no value begins in the rest of the line from an index on. Then a line below may begin it, or
// it is missing at the index behind.
func (s *scanner) awaits(at, behind int) bool {
	if s.text[at] != '\n' && s.text[at] != '#' {
		return false
	}
	s.await = true
	s.tree.await(behind, s.next)
	return true
}

const (
	// maxOpen limits the depth of nested collections, like the merge does.
	maxOpen = 1000
	// maxParsed limits it in a text that is not plain, like the YAML parser does.
	maxParsed = 10_000
	// maxKey limits the length of a skimmed key: written keys are much shorter than YAML allows.
	maxKey = 128
	// maxTreeKey limits the length of a key of a tree: YAML allows 1024.
	maxTreeKey = 1000
)

// value reads the value that begins at from, in a collection of the given column, and the rest of its last line.
func (s *scanner) value(from, indent int) bool {
	var end int
	switch s.text[from] {
	case '|', '>':
		return s.literal(from, indent)
	case '\'', '"':
		end = s.quoted(from, indent)
	case '[', '{':
		end = s.flow(from, indent, 0)
	case '&', '!':
		return s.marked(from, indent)
	case '*':
		end = s.alias(from)
	default:
		end = s.plain(from, indent, false)
	}
	if end == 0 || !isEnd(s.text, end) && !s.isLooseEnd(end) {
		return false
	}
	s.tree.endLine(end, s.next)
	return true
}

// marked reads a value with an anchor or a tag.
func (s *scanner) marked(from, indent int) bool {
	if !s.loosely() || s.tree.properties.on {
		return false
	}
	at := s.readProperties(from, false)
	return s.awaits(at, s.tree.properties.end) || s.value(at, indent)
}

// isLooseEnd is isEnd for a text that is not plain, which may have tabs.
func (s *scanner) isLooseEnd(at int) bool {
	return (isEnd(s.text, at) || isEnd(s.text, skipSpaces(s.text, at))) && s.loosely()
}

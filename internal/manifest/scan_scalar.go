package manifest

import "bytes"

// more goes on to the next line that is not empty, if it is deeper than a column, as the lines of a value are. It
// returns where its text begins, 0 if there is none, and how many line breaks are above it.
func (s *scanner) more(indent int) (from, breaks int) {
	at, start := s.next, 0
	for breaks = 1; ; breaks++ {
		if at == len(s.text) {
			return 0, 0
		}
		start = at
		at = skipBlanks(s.text, at)
		if s.text[at] == '\t' && (s.brackets || s.loosely()) {
			at = skipSpaces(s.text, at)
		}
		if s.text[at] != '\n' {
			break
		}
		at++
	}
	if at-start <= indent {
		return 0, 0
	}
	for range breaks {
		s.tree.line(s.next)
		s.next += bytes.IndexByte(s.text[s.next:], '\n') + 1
	}
	return at, breaks
}

// inside is more for what may have lines of any column where the text is not plain: what is in quotes or brackets.
func (s *scanner) inside(indent int) (from, breaks int) {
	if from, breaks = s.more(indent); from == 0 && s.loosely() {
		return s.more(-1)
	}
	return from, breaks
}

// plain reads a plain scalar, and returns where it ends; 0 if there is none. Its
// further lines are all those that are deeper, up to a comment.
func (s *scanner) plain(from, indent int) int {
	end, open := s.plainLine(from)
	if end == 0 || !isPlainStart(s.text, from) {
		return 0
	}
	if !open || !s.goesOn(indent) {
		s.word(from, end)
		return end
	}
	s.tree.lines(from, 0)
	for s.tree.part(from, end); open && s.goesOn(indent); s.tree.part(from, end) {
		var breaks int
		from, breaks = s.more(indent)
		if end, open = s.plainLine(from); end == 0 {
			return 0
		}
		s.tree.join(breaks, false)
	}
	s.tree.linesEnd(end)
	return end
}

// word takes a plain scalar of one line, and notes whether it is a null.
func (s *scanner) word(from, end int) {
	if isNull(s.text[from:end]) {
		s.item.Null = true
	}
	s.tree.word(from, end)
}

// goesOn reports whether a plain scalar in a collection of a column has another line.
func (s *scanner) goesOn(indent int) bool {
	for at := s.next; at < len(s.text); at++ {
		start := at
		at = skipBlanks(s.text, at)
		if s.text[at] != '\n' {
			return at-start > indent && s.text[at] != '#'
		}
	}
	return false
}

// quoted reads a quoted scalar, and returns where it ends; 0 if it is for the parser.
func (s *scanner) quoted(from, indent int) int {
	quote := s.text[from]
	end := s.quotedLine(from+1, quote)
	if end == 0 {
		return 0
	}
	if s.text[end] == quote {
		s.tree.quoted(from, end+1)
		return end + 1
	}
	s.tree.lines(from, quote)
	for from++; s.text[end] != quote; {
		last, escaped := end, quote == '"' && endsEscaped(s.text[from:end])
		if escaped {
			last--
		} else if last = s.skipBack(from, end); last > from && last < end && s.text[last-1] == '\\' {
			return 0 // the space may be escaped
		}
		s.tree.part(from, last)
		s.next = end + 1
		var breaks int
		if from, breaks = s.inside(indent); from == 0 {
			return 0
		}
		s.tree.join(breaks, escaped)
		if end = s.quotedLine(from, quote); end == 0 {
			return 0
		}
	}
	s.tree.part(from, end)
	s.tree.linesEnd(end + 1)
	return end + 1
}

// skipBack is where a text from an index on ends without the white space before end.
func (s *scanner) skipBack(from, end int) int {
	for end > from && isBlankByte(s.text[end-1]) {
		end--
	}
	return end
}

// literal reads a literal or folded block, whose header begins at from, and goes on to its last line. Its lines are
// all those deeper than the collection that it is in; a digit in the header, or else the first that is not empty,
// says how deep.
func (s *scanner) literal(from, indent int) bool {
	depth, chomp, head, ok := s.literalHeader(from+1, indent)
	if !ok {
		return false
	}
	s.tree.literal(from, head, s.next, chomp)
	blank, last, lines := 0, s.next, 0 // empty lines below the last one are not the block's
scan:
	for s.next < len(s.text) {
		end := s.next + bytes.IndexByte(s.text[s.next:], '\n')
		at := skipBlanks(s.text, s.next)
		spaces := at - s.next
		switch {
		case at == end:
			if depth == 0 {
				blank = max(blank, spaces)
			}
		case spaces <= indent && s.text[at] != '\t':
			break scan
		case depth == 0 && (blank > spaces || s.text[at] == '\t'), spaces < depth, spaces <= indent:
			if depth == 0 || !s.loosely() {
				return false
			}
			break scan
		case depth == 0:
			depth = spaces
		}
		lines++
		s.tree.literalLine(s.next, end, depth)
		if s.next = end + 1; at < end || depth > 0 && spaces > depth {
			last, lines = s.next, 0
		}
	}
	if s.item.literal = s.next == len(s.text); s.tree != nil {
		if chomp != '+' {
			s.next, s.tree.number = last, s.tree.number-lines
		}
		if depth == 0 {
			depth = max(blank, indent+1, 1)
		}
		s.tree.literalEnd(depth, s.next)
	}
	return true
}

// literalHeader reads what is behind the indicator of a block in a collection of
// a column: how deep its lines are, 0 if they tell, and what becomes of the line breaks at its end.
func (s *scanner) literalHeader(at, indent int) (depth int, chomp byte, end int, ok bool) {
	for range 2 {
		switch c := s.text[at]; {
		case '1' <= c && c <= '9' && depth == 0:
			depth = max(indent, 0) + int(c-'0')
			at++
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
			at++
		}
	}
	return depth, chomp, at, s.text[at] == '\n' || s.isLooseEnd(at)
}

// quotedEnd returns where the quoted scalar that begins at from ends, 0 if it is not within the line or not understood.
func (s *scanner) quotedEnd(from int) int {
	end := s.quotedLine(from+1, s.text[from])
	if end == 0 || s.text[end] == '\n' {
		return 0
	}
	return end + 1
}

// quotedLine returns where the part of a quoted scalar ends that is in the line of from: at the quote, or at the
// line break. A plain text has no uncommon escape and no tab in it: then it is 0.
func (s *scanner) quotedLine(from int, quote byte) int {
	for at := from; ; at++ {
		switch c := s.text[at]; {
		case c == '\n':
			return at
		case c == '\t':
			if !s.loosely() {
				return 0
			}
		case c == '\\' && quote == '"':
			length := escapeLength(s.text[at:])
			if length == 0 {
				if length = 2; !s.loosely() {
					return 0
				}
			}
			at += length - 1
		case c != quote:
		case quote == '\'' && s.text[at+1] == '\'':
			at++
		default:
			return at
		}
	}
}

// plainLine returns where the part of a plain scalar ends that begins at from and is in its line, and whether the
// next line may go on with it; 0 if there is a colon that ends a key, or a tab in a plain text.
func (s *scanner) plainLine(from int) (end int, open bool) {
	at := from
	for ; s.text[at] != '\n'; at++ {
		switch s.text[at] {
		case '\t':
			if !s.loosely() {
				return 0, false
			}
		case ':':
			if isBlankByte(s.text[at+1]) {
				return 0, false
			}
		case '#':
			if isBlankByte(s.text[at-1]) {
				return trimLeft(s.text, at), false
			}
		}
	}
	return trimLeft(s.text, at), true
}

// isKey reports whether a key begins at an index.
func (s *scanner) isKey(at int) bool {
	end, _ := s.key(at, false)
	return end > 0
}

// key returns where the key that begins at from ends, and where its colon is; 0 if there is none. That
// of a plain text is quoted, or a word that may have all signs in it, such as the k:{"name":"web"} of
// managedFields, or in brackets dashes.
func (s *scanner) key(from int, flow bool) (end, colon int) {
	if c := s.text[from]; c == '"' || c == '\'' {
		if end = s.quotedEnd(from); end > 0 && end <= from+s.longest() {
			if colon = end; flow {
				colon = skipBlanks(s.text, end)
			}
			if s.text[colon] == ':' && (flow || s.text[colon+1] == ' ' || s.text[colon+1] == '\n') {
				return end, colon
			}
		}
		return s.looseKey(from, flow)
	}
	for at := from; at < from+maxKey; at++ { // a line break ends it
		c := s.text[at]
		if c == ':' && at > from && (s.text[at+1] == ' ' || s.text[at+1] == '\n') {
			return at, at
		}
		if !isWord(c) && (at == from || flow && c != '-' || !isSign(c)) {
			break
		}
	}
	return s.looseKey(from, flow)
}

// longest is how long a key may be.
func (s *scanner) longest() int {
	if s.tree != nil || s.brackets {
		return maxTreeKey
	}
	return maxKey
}

// looseKey is key for one that no plain text has: with an anchor or a tag, an alias, or words.
func (s *scanner) looseKey(from int, flow bool) (end, colon int) {
	if s.tree == nil || s.tree.strict {
		return 0, 0
	}
	at := from
	if c := s.text[at]; c == '&' || c == '!' {
		at = s.readProperties(from, flow)
		s.tree.properties.on = false
	}
	quote := false
	switch c := s.text[at]; {
	case c == '"' || c == '\'':
		end = s.quotedEnd(at)
		quote = true
	case c == '*':
		end = aliasEnd(s.text, at)
	case isPlainStart(s.text, at) && c != '[' && c != '{' && c != '\n':
		end = plainKey(s.text, at, flow)
	}
	if end == 0 {
		return 0, 0
	}
	colon = skipSpaces(s.text, end)
	if s.text[colon] != ':' || !isBlankByte(s.text[colon+1]) && !(flow && quote) {
		return 0, 0
	}
	s.tree.unsure = true
	return end, colon
}

// plainKey returns where a plain scalar ends that is a key, 0 if there is none.
func plainKey(text []byte, from int, flow bool) int {
	for at := from; ; at++ {
		switch c := text[at]; {
		case c == '\n' || c == '#' && at > from && isBlankByte(text[at-1]) || flow && isFlowSign(c):
			return 0
		case c == ':' && isBlankByte(text[at+1]):
			return trimLeft(text, at)
		}
	}
}

// readProperties notes the anchor and the tag that begin at an index, and returns where what they are of
// begins, or the line ends.
func (s *scanner) readProperties(at int, flow bool) int {
	m := properties{on: true, start: at, line: s.tree.number, column: s.tree.column(at)}
	for s.text[at] == '&' || s.text[at] == '!' {
		first := at
		for !isBlankByte(s.text[at]) && !(flow && isFlowSign(s.text[at])) {
			at++
		}
		if s.text[first] == '&' {
			m.anchor = string(s.text[first+1 : at])
		} else {
			m.tagged = m.tagged || at > first+1
		}
		m.end = at
		at = skipSpaces(s.text, at)
	}
	s.tree.properties = m
	return at
}

// alias reads an alias, and returns where it ends.
func (s *scanner) alias(from int) int {
	if !s.loosely() {
		return 0
	}
	end := aliasEnd(s.text, from)
	if end > 0 {
		s.tree.alias(from, end)
	}
	return end
}

// aliasEnd returns where an alias ends, 0 if it has no name.
func aliasEnd(text []byte, from int) int {
	at := from + 1
	for c := text[at]; isWord(c) && c != '.' && c != '/' && c != '$' || c == '-'; c = text[at] {
		at++
	}
	if at == from+1 {
		return 0
	}
	return at
}

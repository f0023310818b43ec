package manifest

import (
	"bytes"
)

// more goes on to the next line that is not empty, if it is deeper than a column, as the lines of a value are. It
// returns the beginning of its text, 0 if there is no such line.
func (s *scanner) more(indent int) int {
	at, start, breaks := s.next, 0, 1
	for ; ; breaks++ {
		if at == len(s.text) {
			return 0
		}
		start = at
		if at = s.skipWhite(at); s.text[at] != '\n' {
			break
		}
		at++
	}
	if at-start <= indent {
		return 0
	}
	for range breaks {
		s.tree.line(s.next)
		s.next += bytes.IndexByte(s.text[s.next:], '\n') + 1
	}
	return at
}

// inside is more for values in quotes or brackets, whose lines may have any column if the text is not plain.
func (s *scanner) inside(indent int) int {
	at := s.more(indent)
	if at == 0 && s.loosely() {
		return s.more(-1)
	}
	return at
}

// plain reads a plain scalar, in brackets if flow is true, and returns its end, 0 if there is none. It goes on over
// deeper lines, and in brackets over all lines up to a bracket or a comma, but never over a comment. In the brackets of a
// plain text it has one line of plain words.
func (s *scanner) plain(from, indent int, flow bool) int {
	if !isPlainStart(s.text, from) || flow && isFlowSign(s.text[from]) {
		return 0
	}
	end, open := s.plainLine(from, flow)
	open = open && s.goesOn(indent, flow)
	if flow && (open || !isPlainText(s.text[from:max(from, end)])) && !s.loosely() {
		return 0
	}
	for end > 0 && open {
		s.tree.lines(from)
		next := s.inside(indent)
		if next == 0 {
			return 0
		}
		end, open = s.plainLine(next, flow)
		open = open && s.goesOn(indent, flow)
	}
	if end > 0 {
		s.word(from, end)
	}
	return end
}

// word adds a plain scalar, and notes whether it is a null.
func (s *scanner) word(from, end int) {
	if isNull(s.text[from:end]) {
		s.item.Null = true
	}
	s.tree.plain(from, end)
}

// goesOn reports whether a plain scalar in a collection of a column, or in brackets, has another line.
func (s *scanner) goesOn(indent int, flow bool) bool {
	for at := s.next; at < len(s.text); at++ {
		start := at
		if at = skipBlanks(s.text, at); flow {
			at = skipSpaces(s.text, at)
		}
		if c := s.text[at]; c != '\n' {
			return c != '#' && (at-start > indent || flow) && !(flow && isFlowSign(c))
		}
	}
	return false
}

// quoted reads a quoted scalar, and returns its end, 0 if only the parser can read it.
func (s *scanner) quoted(from, indent int) int {
	quote := s.text[from]
	end := s.quotedLine(from+1, quote)
	if end == 0 {
		return 0
	}
	for start := from + 1; s.text[end] != quote; {
		line := s.text[start:end]
		if bare := bytes.TrimRight(line, " \t"); len(bare) < len(line) && bytes.HasSuffix(bare, []byte(`\`)) {
			return 0 // the space may be escaped
		}
		s.tree.lines(from)
		s.next = end + 1
		if start = s.inside(indent); start == 0 {
			return 0
		}
		if end = s.quotedLine(start, quote); end == 0 {
			return 0
		}
	}
	s.tree.quoted(from, end+1)
	return end + 1
}

// literal reads a literal or folded block, whose header begins at from, and goes on to its last line.
func (s *scanner) literal(from, indent int) bool {
	depth, chomp, head, ok := s.literalHeader(from+1, indent)
	if !ok {
		return false
	}
	body := s.next
	depth, last, ok := s.literalLines(depth, indent)
	if !ok {
		return false
	}
	if s.item.literal = s.next == len(s.text); s.tree != nil {
		if chomp != '+' {
			s.next = last
		}
		s.tree.literal(from, head, body, s.next, depth, chomp)
	}
	return true
}

// literalLines goes past the lines of a block: all lines deeper than its collection. depth is their column, 0 if the
// first line that is not empty gives it. last is the end of the last line that is not empty: the lines below it are the
// block's only if it keeps them.
func (s *scanner) literalLines(depth, indent int) (column, last int, ok bool) {
	blank, last := 0, s.next
lines:
	for s.next < len(s.text) {
		end := lineEnd(s.text, s.next)
		at := skipBlanks(s.text, s.next)
		spaces := at - s.next
		switch {
		case at == end:
			if depth == 0 {
				blank = max(blank, spaces)
			}
		case spaces <= indent && s.text[at] != '\t':
			break lines
		case depth == 0 && (blank > spaces || s.text[at] == '\t'), spaces < depth:
			if depth == 0 || !s.loosely() {
				return 0, 0, false
			}
			break lines
		case depth == 0:
			depth = spaces
		}
		if s.next = end + 1; at < end || depth > 0 && spaces > depth {
			last = s.next
		}
	}
	if depth == 0 {
		depth = max(blank, indent+1, 1)
	}
	return depth, last, true
}

// literalHeader reads the rest of the header behind the indicator of a block, in a collection of a column. depth is
// the column of its lines, 0 if the lines give it, and chomp is the indicator for the line breaks at its end.
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

// quotedEnd returns the end of the quoted scalar that begins at from, 0 if it is not within the line or not
// understood.
func (s *scanner) quotedEnd(from int) int {
	end := s.quotedLine(from+1, s.text[from])
	if end == 0 || s.text[end] == '\n' {
		return 0
	}
	return end + 1
}

// quotedLine returns the end of the part of a quoted scalar in the line of from: the index of the quote or of the
// line break. It returns 0 for an uncommon escape or a tab, which a plain text does not have.
func (s *scanner) quotedLine(from int, quote byte) int {
	for at := from; ; at++ {
		switch c := s.text[at]; {
		case c == '\n':
			return at
		case c == '\t' && !s.loosely():
			return 0
		case c == '\\' && quote == '"' && s.text[at+1] != '\n':
			_, length, common := readEscape(string(s.text[at:min(at+len(`\U00000000`), len(s.text))]))
			if !common && !s.loosely() {
				return 0
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

// plainLine returns the end of the part of a plain scalar in the line of from, and whether the next line may continue
// it. It returns 0 at a colon that ends a key, or at a tab in a plain text.
func (s *scanner) plainLine(from int, flow bool) (end int, open bool) {
	stop := plainStop(s.text, from, flow)
	if s.text[stop] == ':' || bytes.IndexByte(s.text[from:stop], '\t') >= 0 && !s.loosely() {
		return 0, false
	}
	return trimLeft(s.text, stop), s.text[stop] == '\n'
}

// plainStop returns the index of the sign behind a plain scalar in the line of from: a colon that ends a key, the number
// sign of a comment, in brackets a comma or a bracket, else the line break.
func plainStop(text []byte, from int, flow bool) int {
	for at := from; ; at++ {
		switch c := text[at]; c {
		case '\n':
			return at
		case ':':
			if isBlankByte(text[at+1]) {
				return at
			}
		case '#':
			if at > from && isBlankByte(text[at-1]) {
				return at
			}
		default:
			if flow && isFlowSign(c) {
				return at
			}
		}
	}
}

// key returns the end of the key that begins at from, and the index of its colon; 0 if there is no key. A key of a
// plain text is quoted, or a word that may have all signs in it, such as the k:{"name":"web"} of managedFields, or in
// brackets dashes.
func (s *scanner) key(from int, flow bool) (end, colon int) {
	if c := s.text[from]; c == '"' || c == '\'' {
		longest := maxKey
		if s.tree != nil || s.brackets {
			longest = maxTreeKey
		}
		if end = s.quotedEnd(from); end > 0 && end <= from+longest {
			if colon = end; flow {
				colon = skipBlanks(s.text, end)
			}
			if s.text[colon] == ':' && (flow || s.text[colon+1] == ' ' || s.text[colon+1] == '\n') {
				return end, colon
			}
		}
		return s.looseKey(from, flow)
	}
	for at := from; at < from+maxKey; at++ { // a line break ends the key
		c := s.text[at]
		if c == ':' && at > from && (s.text[at+1] == ' ' || s.text[at+1] == '\n') {
			return at, at
		}
		if !isWord(c) && (at == from || flow && c != '-' || c <= ' ' || c >= 0x7f) {
			break
		}
	}
	return s.looseKey(from, flow)
}

// looseKey is key for keys that no plain text has: with an anchor or a tag, an alias, or several words.
func (s *scanner) looseKey(from int, flow bool) (end, colon int) {
	if s.tree == nil {
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
		if stop := plainStop(s.text, at, flow); s.text[stop] == ':' {
			end = trimLeft(s.text, stop)
		}
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

// readProperties notes the anchor and the tag that begin at an index, and returns the beginning of their node, or the
// end of the line.
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

// alias reads an alias, and returns its end.
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

// aliasEnd returns the end of an alias, 0 if it has no name.
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

package manifest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// more goes on to the next line that is not empty, if it is deeper than a column,
// as the lines of a value are. It returns where its text begins, 0 if there is
// none, and how many line breaks are above it.
func (s *scanner) more(indent int) (from, breaks int) {
	at, start := s.next, 0
	for breaks = 1; ; breaks++ {
		if at == len(s.text) {
			return 0, 0
		}
		start = at
		at = skipBlanks(s.text, at)
		if s.text[at] == '\t' && s.loosely() {
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

// inside is more for what may have lines of any column where the text is not plain: what is in
// quotes or brackets.
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

// isWord reports whether a key or a scalar of a flow collection may begin with
// a byte and consist of such bytes, whatever is around them.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/' || c == '$'
}

// goesOn reports whether a plain scalar in a collection of a column has another
// line.
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

// quoted reads a quoted scalar, and returns where it ends; 0 if it is for the
// parser.
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

// endsEscaped reports whether a line of a text in double quotes ends with a
// backslash that is not escaped itself.
func endsEscaped(line []byte) bool {
	return (len(line)-len(bytes.TrimRight(line, `\\`)))%2 == 1
}

// skipBack is where a text from an index on ends without the white space before end.
func (s *scanner) skipBack(from, end int) int {
	for end > from && isBlankByte(s.text[end-1]) {
		end--
	}
	return end
}

// literal reads a literal or folded block, whose header begins at from, and
// goes on to its last line. Its lines are all those deeper than the collection
// that it is in; a digit in the header, or else the first that is not empty, says
// how deep.
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

// quotedEnd returns where the quoted scalar that begins at from ends, 0 if it is
// not within the line or not understood.
func (s *scanner) quotedEnd(from int) int {
	end := s.quotedLine(from+1, s.text[from])
	if end == 0 || s.text[end] == '\n' {
		return 0
	}
	return end + 1
}

// quotedLine returns where the part of a quoted scalar ends that is in the line
// of from: at the quote, or at the line break. A plain text has no uncommon escape
// and no tab in it: then it is 0.
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

// escapeLength is the length of the escape that text begins with, 0 if it is
// uncommon. One of a line break is the backslash alone.
func escapeLength(text []byte) int {
	switch c := text[1]; c {
	case '\n':
		return 1
	case '"', '\\', 'n', 't', 'r', ' ':
		return 2
	case 'x', 'u', 'U':
		digits := escapedDigits(c)
		if escapedRune(text[2:], digits) < 0 {
			return 0
		}
		return 2 + digits
	}
	return 0
}

// escapedDigits is how many digits an escape has.
func escapedDigits(c byte) int {
	switch c {
	case 'x':
		return 2
	case 'u':
		return 4
	}
	return 8
}

// escapedRune is the character that a number of hexadecimal digits name, -1 if
// they don't, or if it is half of one.
func escapedRune(text []byte, digits int) rune {
	r := rune(0)
	for _, c := range text[:min(digits, len(text))] {
		at := strings.IndexByte("0123456789abcdef", c|0x20)
		if at < 0 || c < '0' || c > '9' && c < 'A' {
			return -1
		}
		r = r<<4 | rune(at) // #nosec G115 -- at is a digit
	}
	if len(text) < digits || !utf8.ValidRune(r) {
		return -1
	}
	return r
}

// unescaped is what is between double quotes in a line.
func unescaped(text string) string {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)), text[:at]...)
	for at < len(text) {
		c := text[at]
		at++
		if c != '\\' || at == len(text) {
			out = append(out, c)
			continue
		}
		c = text[at]
		at++
		if i := strings.IndexByte("ntrabevf0", c); i >= 0 {
			out = append(out, "\n\t\r\a\b\x1b\v\f\x00"[i])
		} else if i := strings.IndexByte("N_LP", c); i >= 0 {
			out = utf8.AppendRune(out, [4]rune{0x85, 0xa0, 0x2028, 0x2029}[i])
		} else if c != 'x' && c != 'u' && c != 'U' {
			out = append(out, c)
		} else if digits := escapedDigits(c); escapedRune([]byte(text[at:]), digits) >= 0 {
			out = utf8.AppendRune(out, escapedRune([]byte(text[at:at+digits]), digits))
			at += digits
		}
	}
	return string(out)
}

// isEnd holds if there is nothing more in the line at an index but a comment.
func isEnd(line []byte, at int) bool {
	at = skipBlanks(line, at)
	return line[at] == '\n' || line[at] == '#' && isBlankByte(line[at-1])
}

// isPlainStart reports whether a plain scalar may begin at an index.
func isPlainStart(line []byte, from int) bool {
	c := line[from]
	if c == '-' || c == ':' || c == '?' {
		return !isBlankByte(line[from+1])
	}
	return bytes.IndexByte([]byte("&*!|>%@`,]}#\t"), c) < 0
}

// plainLine returns where the part of a plain scalar ends that begins at from
// and is in its line, and whether the next line may go on with it; 0 if there is
// a colon that ends a key, or a tab in a plain text.
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

func isNull(word []byte) bool {
	switch string(word) {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}

// skipBlanks returns the first position from at on that has no space; there is one.
func skipBlanks(line []byte, at int) int {
	for line[at] == ' ' {
		at++
	}
	return at
}

// isClean holds for text that has no character which YAML forbids or takes for
// a line break.
func isClean(text []byte) bool {
	for i := 0; i < len(text); i++ {
		for i+8 <= len(text) && isCleanWord(binary.LittleEndian.Uint64(text[i:])) {
			i += 8
		}
		if i == len(text) {
			break
		}
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if !isPrintable(r) || size < 2 {
				return false
			}
			i += size - 1
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			return false
		}
	}
	return true
}

// isCleanWord reports whether eight bytes are ASCII, and none of them a control
// character but the line break. Each sum stays within its byte.
func isCleanWord(word uint64) bool {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
		low  = 0x7f * each
	)
	if word&high != 0 {
		return false
	}
	notControl := word + 0x60*each        // the high bit of what is a space or above
	notBreak := (word ^ '\n'*each) + low  // the high bit of what is no line break
	notDelete := (word ^ 0x7f*each) + low // the high bit of what is no DEL
	return (notControl|^notBreak)&notDelete&high == high
}

// isPrintable holds for the characters beyond ASCII that yaml.v3 takes, without
// the byte order mark and line breaks.
func isPrintable(r rune) bool {
	return r >= 0xa0 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

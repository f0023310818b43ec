package manifest

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// more goes on to the next line that is not empty, if it is deeper than a column,
// as the lines of a value are. It returns where its text begins, 0 if there is
// none, and how many line breaks are above it.
func (s *skimmer) more(indent int) (from, breaks int) {
	at, start := s.next, 0
	for breaks = 1; ; breaks++ {
		if at == len(s.text) {
			return 0, 0
		}
		start = at
		at = skipBlanks(s.text, at)
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

// plain reads a plain scalar, and returns where it ends; 0 if there is none. Its
// further lines are all those that are deeper, up to a comment.
func (s *skimmer) plain(from, indent int) int {
	end, open := plainLine(s.text, from)
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
		if end, open = plainLine(s.text, from); end == 0 {
			return 0
		}
		s.tree.join(breaks, false)
	}
	s.tree.linesEnd()
	return end
}

// goesOn reports whether a plain scalar in a collection of a column has another
// line.
func (s *skimmer) goesOn(indent int) bool {
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
func (s *skimmer) quoted(from, indent int) int {
	quote := s.text[from]
	end := quotedLine(s.text, from+1, quote)
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
		} else if last = skipBack(s.text, from, end); last > from && last < end && s.text[last-1] == '\\' {
			return 0 // the space may be escaped
		}
		s.tree.part(from, last)
		var breaks int
		if from, breaks = s.more(indent); from == 0 {
			return 0
		}
		s.tree.join(breaks, escaped)
		if end = quotedLine(s.text, from, quote); end == 0 {
			return 0
		}
	}
	s.tree.part(from, end)
	s.tree.linesEnd()
	return end + 1
}

// endsEscaped reports whether a line of a text in double quotes ends with a
// backslash that is not escaped itself.
func endsEscaped(line []byte) bool {
	return (len(line)-len(bytes.TrimRight(line, `\\`)))%2 == 1
}

// skipBack is where a text from an index on ends without the spaces before end.
func skipBack(text []byte, from, end int) int {
	for end > from && text[end-1] == ' ' {
		end--
	}
	return end
}

// leaveOut goes past the value of a field, which is below its line, and reports
// whether there is one: lines that are deeper, and the empty ones below them,
// which a literal block may keep.
func (s *skimmer) leaveOut() bool {
	column, stop, some := s.top().indent, s.next, false
	for at := s.next; at < len(s.text); {
		from := skipBlanks(s.text, at)
		c := s.text[from]
		if c != '\n' && c != '#' && from-at <= column {
			break
		}
		deeper := c != '\n' && from-at > column
		some = some || deeper && c != '#'
		belongs := deeper || c == '\n' && at == stop
		if at = from + bytes.IndexByte(s.text[from:], '\n') + 1; belongs {
			stop = at
		}
	}
	if !some {
		return false
	}
	s.left = append(s.left, spanOf(s.next, stop))
	s.next = stop
	return true
}

// fold is the literal or folded block whose lines are read.
type fold struct {
	node   *yaml.Node
	value  strings.Builder
	chomp  byte // '-', '+', or 0
	folded bool
	blank  bool // the line above begins with a space or a tab
	breaks int  // the line breaks before the next line that is not empty
	some   bool // there was such a line
}

// join writes what is between two lines: their line breaks, but of two that are
// folded one less, or a space.
func (f *fold) join(blank bool) {
	breaks := f.breaks
	if f.folded && f.some && !f.blank && !blank {
		if breaks--; breaks == 0 {
			f.value.WriteByte(' ')
		}
	}
	f.feed(breaks)
}

func (f *fold) feed(breaks int) {
	for range breaks {
		f.value.WriteByte('\n')
	}
}

// literal reads a literal or folded block, whose header begins at from, and
// goes on to its last line. Its lines are all those deeper than the collection
// that it is in; a digit in the header, or else the first that is not empty, says
// how deep.
func (s *skimmer) literal(from, indent int) bool {
	s.tree.literal(from)
	defer s.tree.literalEnd()
	depth, ok := s.literalHeader(from+1, indent)
	if !ok {
		return false
	}
	blank := 0
	for s.next < len(s.text) {
		end := s.next + bytes.IndexByte(s.text[s.next:], '\n')
		at := skipBlanks(s.text, s.next)
		spaces := at - s.next
		switch {
		case at == end:
			blank = max(blank, spaces)
		case spaces <= indent && s.text[at] != '\t':
			return true
		case depth == 0 && (blank > spaces || s.text[at] == '\t'), spaces < depth, spaces <= indent:
			return false
		case depth == 0:
			depth = spaces
		}
		s.tree.literalLine(s.next, end, depth)
		s.next = end + 1
	}
	s.item.literal = true
	return true
}

// literalHeader reads what is behind the indicator of a block in a collection of
// a column: how deep its lines are, 0 if they tell.
func (s *skimmer) literalHeader(at, indent int) (depth int, ok bool) {
	chomped := false
	for range 2 {
		switch c := s.text[at]; {
		case '1' <= c && c <= '9' && depth == 0:
			depth = indent + int(c-'0')
			at++
		case (c == '-' || c == '+') && !chomped:
			chomped = true
			s.tree.literalChomp(c)
			at++
		}
	}
	return depth, s.text[at] == '\n'
}

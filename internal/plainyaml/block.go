package plainyaml

import "bytes"

// block is an open block collection: the column of its keys or dashes.
type block struct {
	indent int
	dash   bool // a sequence
}

// scanner goes over the lines of an item and keeps account of what is open.
type scanner struct {
	text []byte
	item *Item

	at      int     // the start of the line
	next    int     // the start of the next one
	open    []block // outermost first
	within  section // which part of the item the last field is in
	await   bool    // the last field has no value yet: what is deeper is its value
	comment bool    // the last line that is not empty is a comment
}

// scan tells whether the text is plain.
func (s *scanner) scan() bool {
	for ; s.at < len(s.text); s.at = s.next {
		end := bytes.IndexByte(s.text[s.at:], '\n')
		if end < 0 {
			return false
		}
		s.next = s.at + end + 1
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
	s.item.Null = s.item.Null || s.await
	return !s.comment // for the parser to say whose it is
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
		s.item.Null = true
	}
	for len(s.open) > 1 && s.top().indent > indent {
		s.open = s.open[:len(s.open)-1]
	}
	if top := s.top(); top.dash && !dash && top.indent == indent && len(s.open) > 1 {
		s.open = s.open[:len(s.open)-1] // a sequence at the column of its key
	}
	return s.top() == block{indent, dash} && (len(s.open) > 1 || s.at == 0)
}

// push opens a collection, unless too many are open.
func (s *scanner) push(b block) bool {
	s.open = append(s.open, b)
	return len(s.open) <= maxOpen
}

func (s *scanner) top() block { return s.open[len(s.open)-1] }

const (
	// maxOpen bounds how deep collections lie in each other, as the merge does.
	maxOpen = 1000
	// maxKey bounds a key: YAML's is 1024, and what one types is much shorter.
	maxKey = 128
)

// key returns where the key that begins at from ends, 0 if there is no plain
// one.
func (s *scanner) key(from int) int {
	if !isWord(s.text[from]) {
		return 0
	}
	for at := from + 1; at < from+maxKey; at++ { // a line break ends it
		switch c := s.text[at]; {
		case c == ':':
			if s.text[at+1] == ' ' || s.text[at+1] == '\n' {
				return at
			}
			return 0
		case !isWord(c) && c != '-':
			return 0
		}
	}
	return 0
}

// isWord holds for what a key or a scalar of a flow collection may begin with
// and consist of, whatever is around it.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/' || c == '$'
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
	if !s.takeNote(s.text[from:end], at) {
		return false
	}
	if s.text[at] == '\n' || s.text[at] == '#' {
		s.await = true
		return true
	}
	return s.value(at, s.top().indent)
}

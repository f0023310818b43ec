package plainyaml

// block is an open block collection: the column of its keys or dashes.
type block struct {
	indent int
	dash   bool // a sequence
}

// scanner goes over the lines of an item and keeps account of what is open.
type scanner struct {
	text []byte
	item *Item
	tree *tree // nil if the item is only skimmed

	at     int     // the start of the line
	next   int     // the start of the next one
	open   []block // outermost first
	within section // which part of the item the last field is in
	await  bool    // the last field has no value yet: what is deeper is its value
	noted  note    // what was noted of the field that is read

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

func (s *scanner) top() block { return s.open[len(s.open)-1] }

// key returns where the key of a block mapping that begins at from ends, 0 if there is
// no plain or quoted one. A plain one is a word that may have all signs in it, such as
// the k:{"name":"web"} of managedFields.
func (s *scanner) key(from int) int { return s.keyOf(from, isSign) }

// keyOf is key for one of which no byte but the first has to be of a word, if may holds
// for it.
func (s *scanner) keyOf(from int, may func(c byte) bool) int {
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

func isDash(c byte) bool { return c == '-' }

// quotedKey is key for one with quotes.
func (s *scanner) quotedKey(from int) int {
	end := quoted(s.text, from)
	if end == 0 || end > from+maxKey || s.text[end] != ':' || s.text[end+1] != ' ' && s.text[end+1] != '\n' {
		return 0
	}
	return end
}

// name takes the key between from and end.
func (s *scanner) name(from, end int) {
	if s.text[from] == '"' || s.text[from] == '\'' {
		s.tree.quoted(from, end)
		return
	}
	s.word(from, end)
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

const (
	// maxOpen bounds how deep collections lie in each other, as the merge does.
	maxOpen = 1000
	// maxKey bounds a key: YAML's is 1024, and what one types is much shorter.
	maxKey = 128
)

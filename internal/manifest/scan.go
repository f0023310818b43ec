package manifest

import (
	"errors"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

var errStrange = errors.New("not understood")

// scanner walks a tree and the text it was parsed from, from the first byte to
// the last.
type scanner struct {
	text []byte
	at   int
	// line, column and offset are the last position that was looked up.
	line, column, offset int
	open                 []level
	gap                  gap
	marked               bool
	// places and entries are those that are left to be filled.
	places  []place
	entries []entry
}

// makeRoom makes a place and an entry for all that list holds.
func (s *scanner) makeRoom(list *yaml.Node) {
	n := entriesIn(list)
	s.places, s.entries = make([]place, n), make([]entry, n)
}

// entriesIn counts the fields and elements of n and of what is below it.
func entriesIn(n *yaml.Node) int {
	count := len(n.Content) / step(n)
	for _, c := range n.Content {
		if len(c.Content) > 0 {
			count += entriesIn(c)
		}
	}
	return count
}

// step is how many nodes an entry of a collection has.
func step(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}

// place returns the place, to be filled, of a value that begins at the scanner's
// position.
func (s *scanner) place(n *yaml.Node) *place {
	p := &s.places[0]
	s.places = s.places[1:]
	p.node, p.start = n, s.at
	return p
}

// makeEntries returns a number of empty entries.
func (s *scanner) makeEntries(n int) []entry {
	made := s.entries[:n:n]
	s.entries = s.entries[n:]
	return made
}

// level is a block collection that the scanner is in.
type level struct {
	column int
	list   bool
}

// scan returns the place of list, which holds the resource that t is the text
// of; without entries if the text is not understood.
func scan(t *Text, list *yaml.Node) *place {
	s := &scanner{text: t.bytes, line: 1, column: 1}
	top := &place{node: list, form: block}
	if !hasPlainLines(t.bytes) {
		return top
	}
	s.makeRoom(list)
	var err error
	if t.item {
		err = s.item(top)
	} else {
		err = s.document(top)
	}
	if t.marked = s.marked; err != nil {
		top.entries = nil
	}
	return top
}

// item scans a list with one element.
func (s *scanner) item(top *place) error {
	s.lead()
	return s.block(top)
}

// document scans a resource that is not in a list.
func (s *scanner) document(top *place) error {
	root := top.node.Content[0]
	start := s.position(root)
	for at := start; at > 0; at = lineStart(s.text, at-1) {
		if line := s.text[lineStart(s.text, at-1):at]; line[0] == '%' || isMarker(line) {
			s.at = at
			break
		}
	}
	e := entry{}
	s.lead()
	if e.start = s.at; root.Style&yaml.FlowStyle != 0 {
		e.float, e.lead = s.above(root)
		e.mark = s.at
		top.entries = []entry{e}
		return s.value(root, 0, &top.entries[0])
	}
	e.float, e.lead, e.mark, e.comment, e.commentEnd = s.at, s.at, s.at, -1, -1
	e.value = s.place(root)
	root.HeadComment, root.LineComment, root.FootComment = "", "", ""
	err := s.block(e.value)
	e.end = e.value.end
	top.entries = []entry{e}
	return err
}

// peek returns the byte some places further on, 0 behind the end.
func (s *scanner) peek(further int) byte {
	if s.at+further >= len(s.text) {
		return 0
	}
	return s.text[s.at+further]
}

// isMarker reports whether a line begins or ends a document.
func isMarker(line []byte) bool {
	if len(line) < 4 || line[3] != '\n' && line[3] != '\r' && line[3] != ' ' && line[3] != '\t' {
		return false
	}
	return string(line[:3]) == "---" || string(line[:3]) == "..."
}

// position returns where a node stands by its line and column, which count
// characters.
func (s *scanner) position(n *yaml.Node) int {
	for s.line < n.Line && s.offset < len(s.text) {
		s.offset, s.line, s.column = stream.NextLine(s.text, s.offset), s.line+1, 1
	}
	if s.line != n.Line || s.column > n.Column {
		return -1
	}
	for s.column < n.Column && s.offset < len(s.text) && s.text[s.offset] != '\n' {
		_, size := utf8.DecodeRune(s.text[s.offset:])
		s.offset, s.column = s.offset+size, s.column+1
	}
	if s.column != n.Column {
		return -1
	}
	return s.offset
}

// lay finds out whether each entry of a flow collection has lines of its own, as in KYAML
// and in JSON that is indented. Then the entries have what those of a block collection
// have: the comments above, a line comment behind the comma, and the end of their last line.
func (s *scanner) lay(p *place) {
	if p.odd || len(p.entries) == 0 {
		return
	}
	entries := slices.Clone(p.entries)
	at := skipSpaces(s.text, p.bare+1)
	if p.remark, p.remarkEnd = at, at; at < len(s.text) && s.text[at] == '#' {
		p.remarkEnd = trimLeft(s.text, lineEnd(s.text, at))
	} else if !isBreak(s.text, at) {
		return
	}
	at = stream.NextLine(s.text, at)
	for i := range entries {
		var ok bool
		if at, ok = s.layEntry(&entries[i], at); !ok || entries[i].comma < 0 && i+1 < len(entries) {
			return
		}
	}
	if p.closing = lineStart(s.text, p.end-1); p.closing < at || skipSpaces(s.text, p.closing) != p.end-1 {
		return
	}
	p.lines, p.trailing = true, entries[len(entries)-1].comma >= 0
	p.column = entries[0].start - lineStart(s.text, entries[0].start)
	p.node.FootComment = commentBlock(s.text[at:p.closing])
	for i := range entries {
		e := &entries[i]
		e.named().HeadComment = commentBlock(s.text[e.float:lineStart(s.text, e.start)])
		e.takeRemark(s.text)
	}
	copy(p.entries, entries)
}

// layEntry finds the lines of an entry of a flow collection, which begin at a position,
// and returns where they end. It reports whether the entry has them for itself.
func (s *scanner) layEntry(e *entry, at int) (end int, ok bool) {
	line := lineStart(s.text, e.start)
	if line < at || skipSpaces(s.text, line) != e.start {
		return at, false
	}
	e.float, e.lead = at, at
	for ; at < line; at = stream.NextLine(s.text, at) {
		if isBlankLine(s.text, at) {
			e.lead = stream.NextLine(s.text, at)
		}
	}
	behind := e.value.end
	if e.comma = skipSpaces(s.text, behind); e.comma < len(s.text) && s.text[e.comma] == ',' {
		behind = e.comma + 1
	} else {
		e.comma = -1
	}
	e.comment, e.commentEnd = behind, behind
	if at = skipSpaces(s.text, behind); at < len(s.text) && s.text[at] == '#' {
		e.comment, e.commentEnd = at, trimLeft(s.text, lineEnd(s.text, at))
	} else if !isBreak(s.text, at) {
		return at, false
	}
	e.end = stream.NextLine(s.text, at)
	return e.end, true
}

// takeRemark gives e the comment behind the opening bracket of its value, where that has
// lines for its entries: it is e's line comment.
func (e *entry) takeRemark(text []byte) {
	v := e.value
	if v.form != flow || !v.lines || v.remark == v.remarkEnd {
		return
	}
	if e.comment < e.commentEnd {
		e.odd = true
	} else {
		e.comment, e.commentEnd = v.remark, v.remarkEnd
	}
	v.node.LineComment = yamlnode.JoinComments(" ", string(text[v.remark:v.remarkEnd]), v.node.LineComment)
}

// isKYAML reports whether a resource in brackets is laid out as KYAML is: over lines,
// with a comma behind each entry, and with most texts in double quotes.
func isKYAML(root *place) bool {
	if root.form != flow || !root.lines || !root.trailing {
		return false
	}
	balance := 0
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i, c := range n.Content {
			switch {
			case n.Kind == yaml.MappingNode && i%2 == 0:
			case c.Kind != yaml.ScalarNode:
				look(c)
			case c.Style&yaml.DoubleQuotedStyle != 0:
				balance++
			case c.ShortTag() == "!!str":
				balance--
			}
		}
	}
	look(root.node)
	return balance >= 0
}

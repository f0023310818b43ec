package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// block scans a block collection, the gap above its first entry having been
// read.
func (s *scanner) block(p *place) error {
	p.form, p.bare, p.column = block, s.at, s.at-lineStart(s.text, s.at)
	depth := len(s.open)
	s.open = append(s.open, level{column: p.column, list: p.node.Kind == yaml.SequenceNode})
	p.entries = s.makeEntries(len(p.node.Content) / step(p.node))
	for i := range p.entries {
		if s.gap.level != depth {
			return errStrange
		}
		if err := s.entry(p, i); err != nil {
			return err
		}
	}
	if s.gap.level == depth {
		return errStrange
	}
	s.open = s.open[:depth]
	p.end = s.gap.endOf(depth)
	p.node.FootComment = s.comments(depth)
	return nil
}

// entry scans an entry of a block collection.
func (s *scanner) entry(p *place, i int) (err error) {
	e := &p.entries[i]
	if p.node.Kind == yaml.SequenceNode {
		n := p.node.Content[i]
		n.HeadComment = ""
		e.float, e.lead = s.above(n)
		if e.start = s.at; !isDash(s.text, s.at) {
			return errStrange
		}
		s.at++
		e.mark = s.at
		return s.value(n, p.column, e)
	}
	key := p.node.Content[2*i]
	e.float, e.lead = s.above(key)
	e.start = s.at
	if s.peek(0) == '?' && s.peek(1) == ' ' {
		p.odd = true
		s.at = skipSpaces(s.text, s.at+1)
	}
	e.key = key
	if err = s.token(&place{node: key, start: s.at}, p.column, false); err != nil {
		return err
	}
	key.LineComment, key.FootComment = "", ""
	s.at = skipSpaces(s.text, s.at)
	if p.odd {
		s.skip()
	}
	if s.peek(0) != ':' {
		return errStrange
	}
	s.at++
	e.mark = s.at
	return s.value(p.node.Content[2*i+1], p.column, e)
}

// skip goes past white space and comments, and reports whether there were
// comments.
func (s *scanner) skip() (comments bool) {
	for s.at < len(s.text) {
		switch c := s.peek(0); {
		case c == '#':
			comments = true
			s.at = stream.NextLine(s.text, s.at)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		default:
			return comments
		}
	}
	return comments
}

// value scans the value of an entry of a block collection whose lines are
// indented by a number of columns, and the gap below it.
func (s *scanner) value(n *yaml.Node, indent int, e *entry) error {
	head := n.HeadComment
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	if e.key == nil {
		n.HeadComment = head
	}
	if yamlnode.IsBlock(n) {
		return s.below(n, e)
	}
	above := ""
	if line := s.at; !isEmpty(n) && s.skip() || bytes.IndexByte(s.text[line:s.at], '\n') >= 0 {
		e.odd, above = true, commentsIn(s.text[line:s.at])
	}
	e.value = s.place(n)
	if err := s.inner(e.value, indent, false); err != nil {
		return err
	}
	var err error
	if e.value.form == literal {
		s.remark(e, e.value.head, n)
		e.end, s.at = e.value.end, e.value.end
		err = s.follow()
	} else {
		err = s.endLine(e, s.at, n)
	}
	n.LineComment = yamlnode.JoinComments(" ", above, n.LineComment)
	e.takeRemark(s.text)
	return err
}

// commentsIn are the comments in white space, in one line.
func commentsIn(space []byte) string {
	text := ""
	for line := range bytes.Lines(space) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			text = yamlnode.JoinComments(" ", text, string(line))
		}
	}
	return text
}

// isEmpty reports whether n is a null that nothing stands for.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Tag == "!!null" && n.Anchor == "" && n.Style == 0
}

// remark reads the line comment of e, behind a position.
func (s *scanner) remark(e *entry, at int, n *yaml.Node) {
	e.comment, e.commentEnd = at, at
	if first := skipSpaces(s.text, at); first < len(s.text) && s.text[first] == '#' && first > at {
		e.comment, e.commentEnd = first, trimLeft(s.text, lineEnd(s.text, at))
		n.LineComment = string(s.text[e.comment:e.commentEnd])
	}
}

// endLine reads what is behind the value of e, which ends at a position, and
// the gap below.
func (s *scanner) endLine(e *entry, at int, n *yaml.Node) error {
	s.remark(e, at, n)
	if !isBreak(s.text, skipSpaces(s.text, e.commentEnd)) {
		return errStrange
	}
	s.at = stream.NextLine(s.text, e.commentEnd)
	e.end = s.at
	return s.follow()
}

// below scans a block collection that is the value of e, in the lines below or,
// of an element, in the line of the dash.
func (s *scanner) below(n *yaml.Node, e *entry) error {
	p := s.place(n)
	e.value = p
	behind := s.at
	s.at = skipSpaces(s.text, s.at)
	p.start = s.at
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		s.properties(false)
		behind = s.at
		s.at = skipSpaces(s.text, s.at)
	}
	named := n
	if e.key != nil {
		named = e.key
	}
	if s.peek(0) == '#' || isBreak(s.text, s.at) {
		s.remark(e, behind, named)
		s.at = stream.NextLine(s.text, s.at)
		s.lead()
	} else {
		e.comment, e.commentEnd = -1, -1
		s.none()
	}
	marked := p.start
	err := s.block(p)
	if p.start = p.bare; n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		p.start = marked
	}
	e.end = p.end
	return err
}

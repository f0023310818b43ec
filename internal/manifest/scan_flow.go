package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// brackets scans a flow collection.
func (s *scanner) brackets(p *place, indent int) error {
	n := p.node
	p.form = flow
	if s.position(n) != s.at {
		return errStrange
	}
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		s.properties(true)
		s.skip()
	}
	p.bare = s.at
	if c := s.peek(0); c != '{' && c != '[' {
		return errStrange
	}
	s.at++
	p.entries = s.makeEntries(len(n.Content) / step(n))
	for i := range p.entries {
		head := s.between(p, i-1)
		if err := s.member(p, i, indent); err != nil {
			return err
		}
		p.entries[i].named().HeadComment = head
	}
	n.FootComment = s.between(p, len(p.entries)-1)
	if s.at >= len(s.text) || s.peek(0) != ']' && s.peek(0) != '}' {
		return errStrange
	}
	s.at++
	p.end = s.at
	s.lay(p)
	return nil
}

// named is the node that has the comment above e.
func (e *entry) named() *yaml.Node {
	if e.key != nil {
		return e.key
	}
	return e.value.node
}

// member scans an entry of a flow collection.
func (s *scanner) member(p *place, i, indent int) (err error) {
	e := &p.entries[i]
	e.start, e.mark, e.comment, e.commentEnd = s.at, s.at, -1, -1
	n := p.node.Content
	if p.node.Kind == yaml.SequenceNode {
		e.value = s.place(n[i])
		err = s.flowing(e.value, indent)
		e.end = e.value.end
		return err
	}
	if s.peek(0) == '?' && (s.peek(1) == ' ' || isBreak(s.text, s.at+1)) {
		return errStrange
	}
	e.key = n[2*i]
	if err = s.flowing(&place{node: e.key, start: s.at}, indent); err != nil {
		return err
	}
	e.mark = s.at
	e.odd = s.skip()
	if s.at < len(s.text) && s.peek(0) == ':' {
		s.at++
		e.mark = s.at
		e.odd = !isEmpty(n[2*i+1]) && s.skip() || e.odd
	} else {
		s.at, p.odd = e.mark, true
	}
	p.remarked = p.remarked || e.odd
	e.value = s.place(n[2*i+1])
	err = s.flowing(e.value, indent)
	e.end = e.value.end
	return err
}

// flowing scans a node in a flow collection.
func (s *scanner) flowing(p *place, indent int) error {
	p.node.HeadComment, p.node.LineComment, p.node.FootComment = "", "", ""
	return s.inner(p, indent, true)
}

// between goes past what is behind an entry of a flow collection, or behind the
// bracket. A comment in the entry's line is its line comment; others are
// returned.
func (s *scanner) between(p *place, i int) string {
	var above []string
	same := true
	for s.at < len(s.text) {
		switch c := s.peek(0); {
		case c == '#':
			end := trimLeft(s.text, lineEnd(s.text, s.at))
			comment := string(s.text[s.at:end])
			p.remarked = true
			if same && i >= 0 {
				p.entries[i].value.node.LineComment = comment
			} else {
				above = append(above, comment)
			}
			s.at = stream.NextLine(s.text, s.at)
			same = false
		case c == '\n':
			s.at++
			same = false
		case c == ' ' || c == '\t' || c == '\r' || c == ',':
			s.at++
		default:
			return strings.Join(above, "\n")
		}
	}
	return ""
}

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// inner scans what is no collection of lines: it fills its place, and goes behind
// it.
func (s *scanner) inner(p *place, indent int, within bool) error {
	switch {
	case isEmpty(p.node):
		s.empty(p)
		return nil
	case p.node.Kind == yaml.ScalarNode || p.node.Kind == yaml.AliasNode:
		return s.token(p, indent, within)
	}
	return s.brackets(p, indent)
}

// empty fills the place of a value that is not there.
func (s *scanner) empty(p *place) { p.form, p.bare, p.end = empty, s.at, s.at }

// token scans a scalar or an alias. indent is the column of the collection around
// it.
func (s *scanner) token(p *place, indent int, within bool) error {
	n := p.node
	if n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode || s.position(n) != s.at {
		return errStrange
	}
	s.properties(within)
	p.bare = s.at
	if s.at != p.start && n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0 {
		p.end = trimLeft(s.text, s.at)
		s.at, p.bare = p.end, p.end
		return nil
	}
	ok := false
	switch {
	case n.Kind == yaml.AliasNode:
		s.marked = true
		ok = s.plain("*" + n.Value)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		ok = s.double()
	case n.Style&yaml.SingleQuotedStyle != 0:
		ok = s.single()
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		ok = s.literal(p, indent)
	default:
		s.marked = s.marked || n.Tag == "!!merge"
		ok = s.plain(n.Value)
	}
	if !ok || s.at >= len(s.text) && p.form != literal {
		return errStrange
	}
	p.end = s.at
	return nil
}

// properties goes past an anchor and a tag.
func (s *scanner) properties(within bool) {
	for s.peek(0) == '&' || s.peek(0) == '!' {
		s.marked = s.marked || s.peek(0) == '&'
		for s.at < len(s.text) && !isBreak(s.text, s.at) && s.peek(0) != ' ' && s.peek(0) != '\t' {
			if within && strings.IndexByte(",[]{}", s.peek(0)) >= 0 {
				return
			}
			s.at++
		}
		end := s.at
		if s.skip(); s.at >= len(s.text) || s.peek(0) != '&' && s.peek(0) != '!' {
			if lineStart(s.text, s.at) != lineStart(s.text, end) {
				s.at = end
			}
			return
		}
	}
}

// plain goes past a plain scalar by its value: a space may be a line break, and
// a line break more than one.
func (s *scanner) plain(value string) bool {
	if end := s.at + len(value); end <= len(s.text) && string(s.text[s.at:end]) == value {
		s.at = end
		return true
	}
	for i := 0; i < len(value); {
		if s.at < len(s.text) && s.peek(0) == value[i] && value[i] != '\n' {
			s.at, i = s.at+1, i+1
			continue
		}
		folded := foldedBreak(s.text, &s.at)
		if folded == "" || !strings.HasPrefix(value[i:], folded) {
			i = backSpaces(value, i)
			if folded == "" || !strings.HasPrefix(value[i:], folded) {
				return false
			}
		}
		i += len(folded)
	}
	return true
}

// backSpaces is where the spaces begin that were matched before a position, as
// those before a line break are none of the value's.
func backSpaces(value string, i int) int { return len(strings.TrimRight(value[:i], " \t")) }

// foldedBreak goes past the white space and line breaks at a position, and
// returns what they read as: a space, or one line break less; "" if there is no
// line break.
func foldedBreak(text []byte, at *int) string {
	count, i := 0, *at
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		if text[i] == '\n' {
			count++
		}
		i++
	}
	if count == 0 {
		return ""
	}
	if *at = i; count == 1 {
		return " "
	}
	return strings.Repeat("\n", count-1)
}

// double goes past a double-quoted scalar.
func (s *scanner) double() bool {
	if s.peek(0) != '"' {
		return false
	}
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.peek(0) {
		case '\\':
			s.at++
		case '"':
			s.at++
			return true
		}
	}
	return false
}

// single goes past a single-quoted scalar.
func (s *scanner) single() bool {
	if s.peek(0) != '\'' {
		return false
	}
	for s.at++; s.at+1 < len(s.text); s.at++ {
		if s.peek(0) != '\'' {
			continue
		}
		if s.at++; s.peek(0) != '\'' {
			return true
		}
	}
	return false
}

// literal goes past a block scalar. Empty lines at its end belong to it if it
// keeps them.
func (s *scanner) literal(p *place, indent int) bool {
	if c := s.peek(0); c != '|' && c != '>' {
		return false
	}
	p.form = literal
	keep := false
	for s.at++; strings.IndexByte("+-123456789", s.peek(0)) >= 0; s.at++ {
		if c := s.peek(0); c == '+' {
			keep = true
		} else if c != '-' {
			p.indent = max(indent, 0) + int(c-'0')
		}
	}
	p.head = s.at
	p.body = stream.NextLine(s.text, s.at)
	if p.indent == 0 {
		p.indent = s.detect(p.body, indent)
	}
	s.at = p.body
	end := p.body
	for at := p.body; at < len(s.text); at = stream.NextLine(s.text, at) {
		first := at
		for first < min(at+p.indent, len(s.text)) && s.text[first] == ' ' {
			first++
		}
		blank := isBreak(s.text, first)
		if !blank && first < at+p.indent {
			break
		}
		if !blank || keep {
			end = stream.NextLine(s.text, at)
		}
	}
	s.at = end
	return true
}

// detect returns the column of the lines of a block scalar that does not say it.
func (s *scanner) detect(at, indent int) int {
	deepest := 0
	for at < len(s.text) {
		first := at
		for first < len(s.text) && s.text[first] == ' ' {
			first++
		}
		deepest = max(deepest, first-at)
		if !isBreak(s.text, first) {
			break
		}
		at = stream.NextLine(s.text, at)
	}
	return max(deepest, indent+1, 1)
}

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

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
	at = nextLine(s.text, at)
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
	for ; at < line; at = nextLine(s.text, at) {
		if isBlankLine(s.text, at) {
			e.lead = nextLine(s.text, at)
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
	e.end = nextLine(s.text, at)
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
	v.node.LineComment = joined(" ", string(text[v.remark:v.remarkEnd]), v.node.LineComment)
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

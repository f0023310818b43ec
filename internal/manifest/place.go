package manifest

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// form is the way in which a node is written.
type form uint8

const (
	// token: a scalar or an alias, in one line or several.
	token form = iota
	// empty: no text at all, a null.
	empty
	// literal: a literal or folded block scalar.
	literal
	// flow: a collection in brackets.
	flow
	// block: a collection of lines.
	block
)

// place is the place of a node in its text, by positions of bytes.
type place struct {
	node *yaml.Node
	form form
	// start is the beginning of the node's anchor, tag or content, bare the beginning of its content, and end the
	// index behind it. A block collection begins with its first entry and ends with a line.
	start, bare, end int
	*interior
}

// interior is the rest of the place of a block scalar or a collection. It is apart, as most nodes are other scalars: all of a
// text have one interior, which is zero.
type interior struct {
	// head is the end of a block scalar's part in the line of its indicator, indent the column of its lines, and body
	// the beginning of these.
	head, body, indent int
	// column is the column of a block collection's entries.
	column  int
	entries []entry
	// hasComments reports whether there are comments in a flow collection; odd, whether its entries are not understood:
	// then the collection stays or goes as a whole.
	hasComments, odd bool
	// pair reports whether a mapping in a list in brackets has no brackets of its own: then it has one field.
	pair bool
	// lines reports whether each entry of a flow collection has lines of its own, and trailing whether the last one
	// has a comma. closing is the beginning of the closing bracket's line; bracketComment and bracketCommentEnd enclose the comment
	// behind the opening one, if any.
	lines, trailing                            bool
	closing, bracketComment, bracketCommentEnd int
}

// entry is a field or an element and its lines. From float to lead are empty lines and loose comments, with an empty
// line below them; from lead to the line of start are the comments directly above. The comments directly below the line
// of a field without lines of its own for its value that are indented deeper than its key are a block of the field's.
type entry struct {
	key                     *yaml.Node // nil in a list
	value                   *place
	float, lead, start, end int
	block                   int // the length of the block of comments below its line, at the end of its lines
	mark                    int // behind the dash or colon
	comment, commentEnd     int // the line comment, or its place if there is none
	comma                   int // its index, in lines of a flow collection; -1 if there is none
	odd                     bool
	question                bool // a question mark begins the key
}

// inline reports whether e begins in the line of its parent.
func (e *entry) inline(text []byte) bool { return e.start > 0 && lineStart(text, e.start) < e.float }

// isMarked reports whether a node has an anchor or a tag in its text.
func (p *place) isMarked() bool { return p.bare != p.start }

// content returns the beginning of the replaceable content of a scalar: behind its anchor, which stays. ok is false
// for a scalar with an anchor and a tag.
func (p *place) content(text []byte) (start int, ok bool) {
	if p.node.Anchor == "" {
		return p.start, true
	}
	return p.bare, p.form != empty && bytes.IndexByte(text[p.start:p.bare], '!') < 0
}

// isNamed reports whether the key of e is a name, or an alias of it.
func (e *entry) isNamed(name string) bool {
	return e.key != nil && yamlnode.Resolve(e.key).Kind == yaml.ScalarNode && yamlnode.Resolve(e.key).Value == name && !isMergeKey(e.key)
}

// isMergeKey reports whether key is a plain `<<`.
func isMergeKey(key *yaml.Node) bool { return key.Tag == "!!merge" }

// mergeKey returns the index of the first merge key of a map, -1 if there is none.
func (p *place) mergeKey() int {
	return slices.IndexFunc(p.entries, func(e entry) bool { return e.key != nil && isMergeKey(e.key) })
}

// named returns the node that has the comment above e.
func (e *entry) named() *yaml.Node {
	if e.key != nil {
		return e.key
	}
	return e.value.node
}

// adopt replaces the nodes of the places at p by the parser's nodes, with the comments as this package reads them. It
// reports whether they are the same nodes in the same places.
func (p *place) adopt(n *yaml.Node) bool {
	if len(p.entries)*step(p.node) != len(n.Content) || !adoptNode(&p.node, n, p.form) {
		return false
	}
	for i := range p.entries {
		e := &p.entries[i]
		key, value := entryOf(n, i)
		if e.key != nil && !adoptNode(&e.key, key, token) || !e.value.adopt(value) {
			return false
		}
	}
	return true
}

// adoptNode replaces a node of a form by the parser's.
func adoptNode(to **yaml.Node, n *yaml.Node, form form) bool {
	own := *to
	if own.Kind != n.Kind || form != empty && (own.Line != n.Line || own.Column != n.Column) || own.Anchor != n.Anchor ||
		own.Style&^yaml.TaggedStyle != n.Style&^yaml.TaggedStyle || own.Value != n.Value && form != literal {
		return false
	}
	n.HeadComment, n.LineComment, n.FootComment = own.HeadComment, own.LineComment, own.FootComment
	*to = n
	return true
}

// lay sets lines if each entry of a flow collection has lines of its own, as in KYAML and indented JSON. Then the
// entries have comments above, a line comment behind the comma, and the end of their last line, as in a block
// collection.
func (p *place) lay(text []byte) {
	if p.odd || p.pair || len(p.entries) == 0 {
		return
	}
	entries := slices.Clone(p.entries)
	if p.bracketComment, p.bracketCommentEnd = commentBehind(text, p.bare+1); !isBreak(text, skipSpaces(text, p.bracketCommentEnd)) {
		return
	}
	at := stream.NextLine(text, p.bracketCommentEnd)
	for i := range entries {
		var ok bool
		if at, ok = entries[i].lay(text, at); !ok || entries[i].comma < 0 && i+1 < len(entries) {
			return
		}
	}
	if p.closing = lineStart(text, p.end-1); p.closing < at || skipSpaces(text, p.closing) != p.end-1 {
		return
	}
	p.lines, p.trailing = true, entries[len(entries)-1].comma >= 0
	p.column = entries[0].start - lineStart(text, entries[0].start)
	p.node.FootComment = tidy(string(text[at:p.closing]))
	for i := range entries {
		e := &entries[i]
		e.named().HeadComment = tidy(string(text[e.float:lineStart(text, e.start)]))
		e.takeBracketComment(text)
	}
	copy(p.entries, entries)
}

// lay sets the lines of an entry of a flow collection, which begin at a position, and returns their end. ok is false
// if the entry shares a line.
func (e *entry) lay(text []byte, at int) (end int, ok bool) {
	line := lineStart(text, e.start)
	if line < at || skipSpaces(text, line) != e.start {
		return at, false
	}
	e.float, e.lead = at, at
	for ; at < line; at = stream.NextLine(text, at) {
		if isBlankLine(text, at) {
			e.lead = stream.NextLine(text, at)
		}
	}
	behind := e.value.end
	if e.comma = skipSpaces(text, behind); e.comma < len(text) && text[e.comma] == ',' {
		behind = e.comma + 1
	} else {
		e.comma = -1
	}
	e.comment, e.commentEnd = commentBehind(text, behind)
	e.end = stream.NextLine(text, e.commentEnd)
	return e.end, isBreak(text, skipSpaces(text, e.commentEnd))
}

// commentBehind returns the range of the comment behind an index in its line, an empty one at the index if there is
// none.
func commentBehind(text []byte, at int) (start, end int) {
	if first := skipSpaces(text, at); first < len(text) && text[first] == '#' {
		return first, trimLeft(text, lineEnd(text, at))
	}
	return at, at
}

// takeBracketComment makes the comment behind the opening bracket of its value the line comment of e, if the value has lines
// for its entries.
func (e *entry) takeBracketComment(text []byte) {
	v := e.value
	if v.form != flow || !v.lines || v.bracketComment == v.bracketCommentEnd {
		return
	}
	if e.comment < e.commentEnd {
		e.odd = true
	} else {
		e.comment, e.commentEnd = v.bracketComment, v.bracketCommentEnd
	}
	v.node.LineComment = yamlnode.JoinComments(" ", string(text[v.bracketComment:v.bracketCommentEnd]), v.node.LineComment)
}

// isKYAML reports whether a resource in brackets has the layout of KYAML: over lines, with a comma behind each entry,
// and with most texts in double quotes.
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

// gap is the lines between the end of an entry and the next one: empty lines and comments.
type gap struct {
	start int
	lines []gapLine
	// level is the level of the collection whose entry follows, 0 at the end.
	level int
}

type gapLine struct {
	start, end int // end is behind the line break
	column     int // of the comment, -1 for an empty line
	level      int
}

// give gives the lines of the gap to the collection of a level, whose entry follows.
func (g *gap) give(level int) {
	g.level = level
	for i := range g.lines {
		g.lines[i].level = level
	}
}

// reset begins a gap without lines.
func (g *gap) reset(start int) { g.start, g.lines = start, g.lines[:0] }

// endOf returns the end of the lines in the gap that belong to a level or deeper, the start of the gap if there are
// none.
func (g *gap) endOf(level int) int {
	end := g.start
	for _, l := range g.lines {
		if l.level >= level {
			end = l.end
		}
	}
	return end
}

// comments returns the comments of a level, with the empty lines between them.
func (g *gap) comments(text []byte, level int) string {
	return tidy(string(text[g.endOf(level+1):g.endOf(level)]))
}

// above returns the beginnings of two groups of lines of the entry behind the gap, and its head comment. The lines
// from float on stay if the entry goes, and the lines from lead on go with it.
func (g *gap) above(text []byte) (float, lead int, head string) {
	head = g.comments(text, g.level)
	float = g.endOf(g.level + 1)
	lead = float
	for _, l := range g.lines {
		if l.level == g.level && l.column < 0 {
			lead = l.end
		}
	}
	return float, lead, head
}

// step returns the number of nodes of an entry of a collection.
func step(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}

// count returns the number of entries of a collection.
func count(n *yaml.Node) int { return len(n.Content) / step(n) }

// entryOf returns the key and the value of an entry of a collection. The key is nil in a list.
func entryOf(n *yaml.Node, i int) (key, value *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		return n.Content[2*i], n.Content[2*i+1]
	}
	return nil, n.Content[i]
}

// addGapLine adds an empty line, or a comment that begins at an index, to the gap.
func (t *tree) addGapLine(start, from, end int) {
	if t == nil {
		return
	}
	l := gapLine{start: start, end: end, column: from - start}
	if t.bytes[from] == '\n' {
		l.column = -1
	}
	t.gap.lines = append(t.gap.lines, l)
}

// follow distributes the lines of the gap below an entry among the open collections. next is the level of the
// collection whose entry follows, 0 at the end.
func (t *tree) follow(open []openBlock, next int) {
	if t == nil {
		return
	}
	g, deepest := &t.gap, len(open)-1
	t.takeBlock(open[deepest].indent)
	g.level = next
	for i := range g.lines {
		if l := &g.lines[i]; l.column >= 0 {
			deepest = min(deepest, levelOf(open, next, l.column))
			l.level = deepest
		}
	}
	above := max(1, next)
	for i := len(g.lines) - 1; i >= 0; i-- {
		if l := &g.lines[i]; l.column < 0 {
			l.level = above
		} else {
			above = l.level
		}
	}
}

// takeBlock gives the comments directly below the line of the last entry that are indented deeper than its key, which is
// in a column, to the entry: they are about it, whatever follows. Such are the lines to uncomment below `resources: {}`.
func (t *tree) takeBlock(column int) {
	g := &t.gap
	if len(g.lines) == 0 || g.lines[0].column <= column || len(t.entries) == 0 {
		return
	}
	e := t.last()
	if e.key == nil || e.question || !e.value.hasBlocks() {
		return
	}
	size := 0
	for i, l := range g.lines {
		if l.column > column {
			size = i + 1
		} else if l.column >= 0 {
			break
		}
	}
	e.end = g.lines[size-1].end
	e.block = e.end - g.start
	e.key.FootComment = tidy(string(t.bytes[g.start:e.end]))
	g.start, g.lines = e.end, slices.Delete(g.lines, 0, size)
}

// hasBlocks reports whether a field with a value may have a block of comments below its line: the value has no lines of
// its own, in which the comments would be.
func (p *place) hasBlocks() bool { return p.form != block && p.form != literal && !p.lines }

// levelOf returns the level of a comment in the gap: the deepest collection that its column allows, if that is deeper
// than the collection whose entry follows. In the column of a list and of its parent map, a comment is the map's; the
// list's comments are deeper.
func levelOf(open []openBlock, next, column int) int {
	for j := len(open) - 1; j > next && j > 1; j-- {
		if own := open[j].indent; own < column || own == column && own > open[j-1].indent {
			return j
		}
	}
	return max(1, next)
}

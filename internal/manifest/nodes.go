package manifest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// tree makes the nodes of a text and their places while the scanner reads it. Its methods do nothing on nil, the tree
// of a text that is only skimmed.
type tree struct {
	bytes         []byte
	words         [64]string // words that were read, by their hashes: nodes with the same word share it
	number, start int        // the number of the line, and its first index
	seen, width   int        // the index of the last counted column, and the characters up to it
	// unsure reports that the text is not plain, and marked that it has anchors, aliases or merge keys.
	unsure, marked bool

	top        *place // a list with the node of the text as its only element
	open       []opened
	entries    []entry // of the open collections
	gap        gap
	head       string  // the comment above the entry that was begun last
	awaited    awaited // the value that may be below its key
	properties properties
	isKey      bool // the next scalar is a key

	room      int // the number of entries to allocate at once
	nodes     []yaml.Node
	places    []place
	interiors []interior
	none      *interior // of scalars that are no blocks
	done      []entry
	content   []*yaml.Node
}

// opened is a collection whose entries begin at an index.
type opened struct {
	place *place
	first int
}

// awaited is the position of a value that may be below its key: behind the colon and the properties.
type awaited struct{ line, column, behind int }

// properties are the anchor and the tag in front of a value or a key.
type properties struct {
	on, tagged               bool
	anchor                   string
	start, end, line, column int
}

// maxRoom limits the number of entries to allocate at once.
const maxRoom = 256

// roomFor returns a slice with room for n more elements: have, or an empty one, which is large if it is the first.
func roomFor[T any](have []T, n, large int) []T {
	if cap(have)-len(have) >= n {
		return have
	}
	if cap(have) > 0 {
		large = large/4 + 4
	}
	return make([]T, 0, max(n, large))
}

// line begins the line at an index.
func (t *tree) line(start int) {
	if t != nil {
		t.number, t.start, t.seen, t.width = t.number+1, start, start, 0
	}
}

// node makes a node at an index, and returns the index at which the node begins with its properties.
func (t *tree) node(kind yaml.Kind, tag, value string, at int) (*yaml.Node, int) {
	t.nodes = append(roomFor(t.nodes, 1, 2*t.room+t.room/4), yaml.Node{Kind: kind, Tag: tag, Value: value, Line: t.number, Column: t.column(at)})
	n := &t.nodes[len(t.nodes)-1]
	t.marked = t.marked || tag == "!!merge"
	if m := t.properties; m.on {
		t.properties = properties{}
		if at, n.Line, n.Column, n.Anchor = m.start, m.line, m.column, m.anchor; m.tagged {
			n.Style = yaml.TaggedStyle
		}
		t.marked = t.marked || m.anchor != ""
	}
	return n, at
}

// column returns the column of an index in the line: the number of characters before it.
func (t *tree) column(at int) int {
	if at < t.seen {
		t.seen, t.width = t.start, 0
	}
	if at < t.start {
		return 0
	}
	t.seen, t.width = at, t.width+utf8.RuneCount(t.bytes[t.seen:at])
	return t.width + 1
}

// word returns the text between two indexes. Most names are in a text often, and take memory once.
func (t *tree) word(from, end int) string {
	word := t.bytes[from:end]
	if len(word) == 0 {
		return ""
	}
	known := &t.words[(len(word)+int(word[0])*7+int(word[len(word)-1])*31)%len(t.words)]
	if *known != string(word) {
		*known = string(word)
	}
	return *known
}

// value makes a node, and its place as the value of the last entry.
func (t *tree) value(kind yaml.Kind, tag, value string, form form, at int) *place {
	n, start := t.node(kind, tag, value, at)
	t.places = append(roomFor(t.places, 1, t.room+t.room/8), place{node: n, form: form, start: start, bare: at, interior: t.interior(form)})
	p := &t.places[len(t.places)-1]
	e := t.last()
	if e.value = p; e.key == nil {
		n.HeadComment, t.head = t.head, ""
	}
	return p
}

// interior returns the interior for a place with a form.
func (t *tree) interior(form form) *interior {
	if form == token || form == empty {
		return t.none
	}
	t.interiors = append(roomFor(t.interiors, 1, t.room/2), interior{})
	return &t.interiors[len(t.interiors)-1]
}

// last returns the entry of the innermost collection that was begun last.
func (t *tree) last() *entry { return &t.entries[len(t.entries)-1] }

// root begins the only value of the text, in brackets or not.
func (t *tree) root(at int, brackets bool) {
	if t == nil {
		return
	}
	of := t.properties
	list, _ := t.node(yaml.SequenceNode, "", "", at)
	*list, t.properties = yaml.Node{Kind: yaml.SequenceNode}, of
	t.top = &place{node: list, form: block, interior: &interior{}}
	t.open = append(t.open, opened{t.top, 0})
	e := entry{float: at, lead: at, start: at, mark: at, comment: -1, commentEnd: -1}
	if brackets {
		t.gap.give(1)
		e.float, e.lead, t.head = t.gap.above(t.bytes)
	}
	t.entries = append(t.entries, e)
}

// entry begins an entry of the block collection at a level.
func (t *tree) entry(at, mark, level int) {
	if t == nil {
		return
	}
	e := entry{start: at, mark: mark}
	t.gap.level = level
	e.float, e.lead, t.head = t.gap.above(t.bytes)
	t.entries = append(t.entries, e)
}

// mark notes the index behind a colon.
func (t *tree) mark(at int) {
	if t != nil {
		t.last().mark = at
	}
}

// begin opens a flow collection.
func (t *tree) begin(list bool, at int) *place {
	if t == nil {
		return nil
	}
	kind, tag := kindOf(list)
	p := t.value(kind, tag, "", flow, at)
	p.node.Style |= yaml.FlowStyle
	t.open = append(t.open, opened{p, len(t.entries)})
	return p
}

// push opens the block collection of a level, whose first entry begins at an index. below reports whether that is
// below the line of the collection's parent.
func (t *tree) push(b openBlock, at, level int, below bool) {
	kind, tag := kindOf(b.dash)
	p := t.value(kind, tag, "", block, at)
	p.column = b.indent
	e := t.last()
	if e.comment, e.commentEnd = -1, -1; !below {
		t.gap.reset(at)
	} else if level > 1 {
		t.readLineComment(t.awaited.behind, e.named())
	}
	t.gap.give(level)
	t.open = append(t.open, opened{p, len(t.entries)})
}

// pop closes the innermost block collection, which has a level.
func (t *tree) pop(level int) {
	if t == nil {
		return
	}
	p := t.close()
	p.end = t.gap.endOf(level)
	p.node.FootComment = t.gap.comments(t.bytes, level)
	t.last().end = p.end
}

// close gives the innermost collection its entries.
func (t *tree) close() *place {
	o := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	made := t.entries[o.first:]
	t.entries = t.entries[:o.first]
	if len(made) == 0 {
		return o.place
	}
	t.done = roomFor(t.done, len(made), t.room+t.room/8)
	from := len(t.done)
	t.done = append(t.done, made...)
	o.place.entries = slices.Clip(t.done[from:])
	count := len(made) * step(o.place.node)
	t.content = roomFor(t.content, count, 2*t.room)
	from = len(t.content)
	for i := range made {
		if made[i].key != nil {
			t.content = append(t.content, made[i].key)
		}
		t.content = append(t.content, made[i].value.node)
	}
	o.place.node.Content = slices.Clip(t.content[from:])
	return o.place
}

// finish closes the list around the text, and reports whether it has an element.
func (t *tree) finish() bool {
	if t.top == nil || t.properties.on {
		return false
	}
	t.close()
	return true
}

// endFlow closes a flow collection that ends at an index.
func (t *tree) endFlow(end int) {
	if t == nil {
		return
	}
	p := t.close()
	p.end, p.node.FootComment, t.head = end, t.head, ""
	for i := range p.entries {
		p.entries[i].end = p.entries[i].value.end
	}
	p.lay(t.bytes)
}

// member begins an entry of a flow collection.
func (t *tree) member(at int) {
	if t != nil {
		t.entries = append(t.entries, entry{start: at, mark: at, comment: -1, commentEnd: -1})
	}
}

// takeComments gives the comment behind an entry of a flow collection to it, and keeps the comments above the next entry
// for that. These are in white space between two indexes, which has a comma at most.
func (t *tree) takeComments(from, end int) {
	if t == nil || end < from || !hasComment(t.bytes[from:end]) {
		return
	}
	var above []string
	for i, line := range strings.Split(string(t.bytes[from:end]), "\n") {
		line = strings.TrimRight(strings.TrimLeft(line, ", \t"), " \t")
		switch {
		case line == "":
		case i == 0 && len(t.entries) > t.open[len(t.open)-1].first:
			t.last().value.node.LineComment = line
		default:
			above = append(above, line)
		}
	}
	t.open[len(t.open)-1].place.hasComments = true
	t.head = strings.Join(above, "\n")
}

// markOdd marks the last entry of a flow collection as odd if there are comments around its colon.
func (t *tree) markOdd(space []byte) {
	if t != nil && hasComment(space) {
		t.last().odd = true
		t.open[len(t.open)-1].place.hasComments = true
	}
}

// flowNull adds a missing value to an entry of a flow collection.
func (t *tree) flowNull() {
	at := t.last().mark
	t.value(yaml.ScalarNode, "!!null", "", empty, at).end = at
}

// await notes that the value of an entry is below its line or missing. A missing value has the index at, behind the
// colon.
func (t *tree) await(at, next int) {
	if t == nil {
		return
	}
	t.awaited = awaited{t.number, t.column(at), at}
	t.gap.reset(next)
}

// null adds a null for the awaited value, which is missing.
func (t *tree) null() {
	if t == nil {
		return
	}
	at := t.awaited.behind
	form := empty
	if t.properties.on {
		form = token
	}
	p := t.value(yaml.ScalarNode, "!!null", "", form, at)
	if p.end = at; form == empty {
		p.node.Line, p.node.Column = t.awaited.line, t.awaited.column
	}
	t.readLineComment(at, p.node)
	t.last().end = t.gap.start
}

// isBelow notes that the value of the last entry begins at an index below its key, and gives it the comments between. It
// reports whether the tree can have the value.
func (t *tree) isBelow(from int) bool {
	if t == nil {
		return true
	}
	e := t.last()
	e.odd = true
	between := oneLine(string(t.bytes[e.mark:from]))
	if between == "" || e.value == nil { // an anchor or a tag, and the rest still further below
		return between == ""
	}
	e.value.node.LineComment = yamlnode.JoinComments(" ", between, e.value.node.LineComment)
	return true
}

// endLine reads the rest of the last line of a value that ends at an index.
func (t *tree) endLine(at, next int) {
	if t == nil {
		return
	}
	e := t.last()
	t.readLineComment(at, e.value.node)
	e.end = next
	t.gap.reset(next)
	e.takeBracketComment(t.bytes)
}

// readLineComment reads the line comment of the last entry, behind an index.
func (t *tree) readLineComment(at int, n *yaml.Node) {
	e := t.last()
	if e.comment, e.commentEnd = commentBehind(t.bytes, at); e.comment < e.commentEnd {
		n.LineComment = string(t.bytes[e.comment:e.commentEnd])
	}
}

// kindOf returns the kind and the tag of a collection.
func kindOf(list bool) (yaml.Kind, string) {
	if list {
		return yaml.SequenceNode, "!!seq"
	}
	return yaml.MappingNode, "!!map"
}

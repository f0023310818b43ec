package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// form is how a node is written.
type form uint8

const (
	// token: a scalar or an alias, in one line or several.
	token form = iota
	// empty: nothing at all, which is null.
	empty
	// literal: a literal or folded block scalar.
	literal
	// flow: a collection in brackets.
	flow
	// block: a collection of lines.
	block
)

// place is where a node stands in its text.
type place struct {
	node *yaml.Node
	form form
	// start is where the node's anchor, tag or content begins, bare where the
	// content does, and end is behind it. A block collection begins with its first
	// entry and ends with a line.
	start, bare, end int
	// head is the end of what a block scalar has in the line of its indicator, and
	// indent the column of its lines; body is where these begin.
	head, body, indent int
	// column is that of a block collection's entries.
	column  int
	entries []entry
	// remarked says that there are comments in a flow collection; odd, that the
	// entries are not understood: the collection stays or goes as one.
	remarked, odd bool
	// lines says that each entry of a flow collection has lines of its own, and trailing
	// that the last one has a comma. closing is where the line of the closing bracket
	// begins; remark and remarkEnd are the comment behind the opening one, if there is one.
	lines, trailing            bool
	closing, remark, remarkEnd int
}

// entry is a field or an element and its lines. Those from float to lead are
// empty lines, and comments with an empty line below them; those from lead to
// the line of start are the comments directly above.
type entry struct {
	key                     *yaml.Node // nil in a list
	value                   *place
	float, lead, start, end int
	mark                    int // behind the dash or colon
	comment, commentEnd     int // the line comment, or where one would be
	comma                   int // where it is, in lines of a flow collection; -1 if there is none
	odd                     bool
}

// inline reports whether e begins in the line of what holds it.
func (e *entry) inline(text []byte) bool { return e.start > 0 && lineStart(text, e.start) < e.float }

// isMarked reports whether a node has an anchor or a tag in its text.
func (p *place) isMarked() bool { return p.bare != p.start }

// content is where the content of a scalar begins that may be replaced: behind its
// anchor, which stays. ok is false for one with an anchor and a tag.
func (p *place) content(text []byte) (start int, ok bool) {
	if p.node.Anchor == "" {
		return p.start, true
	}
	return p.bare, p.form != empty && bytes.IndexByte(text[p.start:p.bare], '!') < 0
}

// isNamed reports whether the key of e is a name, or an alias of one.
func (e *entry) isNamed(name string) bool {
	return e.key != nil && target(e.key).Kind == yaml.ScalarNode && target(e.key).Value == name && !isMergeKey(e.key)
}

// isMergeKey reports whether key is a plain `<<`.
func isMergeKey(key *yaml.Node) bool { return key.Tag == "!!merge" }

package manifest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// block edits a block collection, or a flow collection over lines, if the result has
// some of its entries, and reports whether it could.
func (e *editor) block(in, lp, up *place, part *Part) bool {
	children, ok := e.inherited(lp, part, e.children(lp, up, part))
	if !ok {
		return false
	}
	gone := goneOf(lp, children)
	if lp.lines && !lp.trailing && len(children) > 0 {
		if e.open == nil {
			e.open = map[*Part]bool{}
		}
		e.open[children[len(children)-1].part] = true
	}
	if !e.editChildren(lp, up, children, gone, part) {
		return false
	}
	left := e.leftBelow(lp, gone, footOf(part.Key, part.Value))
	e.remove(lp, gone, left, part)
	if left == nil {
		e.tail(in, lp, up, children, part)
	}
	return true
}

// editChildren edits the entries that stay in a collection over lines, and puts the others in their places. It reports
// whether it could.
func (e *editor) editChildren(lp, up *place, children []child, gone []bool, part *Part) bool {
	first, at, ok := e.first(lp, up, children, gone, part)
	if !ok {
		return false
	}
	tighter := -1
	var upper *entry
	for i := first; i < len(children); i++ {
		k := &children[i]
		e.path, e.above = append(e.path, k.index), upper
		if k.stays {
			e.blankAbove(lp, up, children, i, &tighter)
			upper = &lp.entries[k.at]
			e.entry(lp, upper, e.sourceOf(up, k), k.part)
			at = upper.end
		} else {
			e.insertLines(lp, up, k, at)
		}
		e.path = e.path[:len(e.path)-1]
	}
	return true
}

// insertLines puts the lines of an entry that is new in its place at a position.
func (e *editor) insertLines(lp, up *place, k *child, at int) {
	lines := e.newLines(lp, up, k)
	if isBelowBlank(e.text.bytes, at) { // the line may belong to a block scalar
		lines = lines[skipBlankLines(lines, 0):]
	}
	e.change(at, at, lines)
	e.doubtCommentsBelow(at)
	if k.at < 0 {
		e.arrive(at, e.sourceOf(up, k).entry, lines)
	}
}

// goneOf reports for each entry whether it loses its lines, because it is removed or moves.
func goneOf(lp *place, children []child) []bool {
	gone := slices.Repeat([]bool{true}, len(lp.entries))
	for _, k := range children {
		if k.stays {
			gone[k.at] = false
		}
	}
	return gone
}

func (e *editor) sourceOf(up *place, k *child) source {
	if k.up < 0 {
		return source{}
	}
	return source{in: up, entry: &up.entries[k.up]}
}

// first writes the children before the first entry that stays, if that position is in the line of a dash. It returns the
// index of the next child and its position.
func (e *editor) first(lp, up *place, children []child, gone []bool, part *Part) (next, at int, ok bool) {
	le, text := &lp.entries[0], e.text.bytes
	if !le.inline(text) {
		if hasComment(text[le.float:le.lead]) {
			e.keepLooseComments(le)
			return 0, e.kept(le, part), true
		}
		if start := e.kept(le, part); start > le.lead {
			return 0, start, true
		}
		return 0, le.float, true
	}
	if children[0].stays && children[0].at == 0 {
		return 0, le.start, true
	}
	e.doubt = true
	var lines []byte
	for next < len(children) && !children[next].stays {
		e.path = append(e.path, children[next].index)
		lines = append(lines, e.newLines(lp, up, &children[next])...)
		e.path = e.path[:len(e.path)-1]
		next++
	}
	if len(lines) == 0 {
		return next, le.start, e.pullUp(lp, &children[next], gone)
	}
	start, lines := e.inlined(le.start, lines)
	if gone[0] {
		e.change(start, le.end, lines)
		gone[0] = false
		return next, le.end, true
	}
	e.change(start, le.start, append(lines, strings.Repeat(" ", lp.column)...))
	return next, le.start, true
}

// pullUp removes the entries between a dash and the first entry that stays, which comes behind the dash, and reports
// whether it could: that entry's comments must not change.
func (e *editor) pullUp(lp *place, k *child, gone []bool) bool {
	le, other, text := &lp.entries[0], &lp.entries[k.at], e.text.bytes
	if !sameText(headOf(k.part.Key, k.part.Value), other.named().HeadComment) {
		return false
	}
	if hasComment(text[other.float:other.start]) {
		e.change(trimLeft(text, le.start), other.float, []byte("\n"))
	} else {
		e.change(le.start, other.start, nil)
	}
	for i := range k.at {
		gone[i] = false
	}
	return true
}

// newLines returns the lines of an entry that is new in its place: a moved one, or one of the other side.
func (e *editor) newLines(lp, up *place, k *child) []byte {
	if k.at >= 0 {
		return e.movedLines(lp, &lp.entries[k.at], e.sourceOf(up, k), k.part)
	}
	return e.lines(lp, e.sourceOf(up, k), k.part, true)
}

// movedLines returns the lines of an entry, edited, with the comments directly above.
func (e *editor) movedLines(lp *place, le *entry, from source, part *Part) []byte {
	was := e.changes
	e.changes, e.arrived = nil, arrival{}
	e.doubt = true
	e.entry(lp, le, from, part)
	start, margin := le.lead, []byte(nil)
	if le.inline(e.text.bytes) {
		start, margin = le.start, []byte(strings.Repeat(" ", lp.column))
	}
	for _, c := range e.changes {
		start = min(start, c.start)
	}
	out := append(margin, applied(e.text.bytes, start, le.end, e.changes)...)
	e.changes = was
	return out
}

// remove deletes the lines of entries, with the comments directly above them, and one of two empty lines that would
// meet. The loose comments above left stay. Loose comments above other entries stay too, unless the result has them
// elsewhere or upstream removed them with a stale entry. Of a comment directly above, the lines stay that are above the
// part's notes.
func (e *editor) remove(lp *place, gone []bool, left *entry, part *Part) {
	text := e.text.bytes
	top := lp.entries[0].lead == 0 && !slices.ContainsFunc(e.changes, func(c change) bool { return c.start == 0 })
	var last change // of the removed lines right above
	for i := range lp.entries {
		le := &lp.entries[i]
		if top = top && gone[i]; !gone[i] {
			continue
		}
		start, end := e.kept(le, part), le.end
		if top = top && start == le.lead; last.end != start {
			last.start = start
		}
		meet := (top || isBelowBlank(text, last.start)) && (end == len(text) || isBlankLine(text, end))
		switch { // an entry in the line of a dash is gone already
		case top && meet && end < len(text):
			end = stream.NextLine(text, end)
		case meet && last.start == start && start > le.float:
			start = lineStart(text, start-1)
		case meet && end < len(text): // the empty line above belongs to a block scalar
			end, e.doubt = stream.NextLine(text, end), true
		}
		if le != left && start <= le.lead && (e.resultHasComments(le) || part.Stale[le.named()] && e.upstreamLacksComments(le)) {
			start = min(start, le.float)
		} else {
			e.keepLooseComments(le)
		}
		e.doubtCommentsBelow(le.end)
		e.change(start, end, nil)
		last.start, last.end = min(last.start, start), end
	}
}

// kept returns the beginning of the lines that go with an entry: below the lines of the comment right above it that stay.
func (e *editor) kept(le *entry, part *Part) int {
	notes, stays := part.Notes[le.named()]
	if !stays {
		return le.lead
	}
	start := lineStart(e.text.bytes, le.start)
	for ; notes > 0 && start > le.lead; notes-- {
		start = lineStart(e.text.bytes, start-1)
	}
	e.left = append(e.left, linesOf(string(e.text.bytes[le.lead:start]))...)
	e.doubt = true
	return start
}

// leftBelow returns the first of the removed entries at the end, if the loose comments above it are the decided
// comment below the remaining entries, else nil.
func (e *editor) leftBelow(lp *place, gone []bool, want string) *entry {
	at := len(gone)
	for at > 0 && gone[at-1] {
		at--
	}
	if at == 0 || at == len(gone) || lp.form != block || lp.node.FootComment != "" || strings.TrimSpace(want) == "" {
		return nil
	}
	le := &lp.entries[at]
	there := bytes.TrimSpace(e.text.bytes[le.float:max(le.float, le.lead)])
	same := func(line []byte, wanted string) bool {
		return string(bytes.TrimSpace(line)) == strings.TrimSpace(wanted)
	}
	if !slices.EqualFunc(bytes.Split(there, []byte("\n")), strings.Split(strings.TrimSpace(want), "\n"), same) {
		return nil
	}
	return le
}

// resultHasComments reports whether the result has a line of an entry's loose comments elsewhere. Then they are removed with the
// entry: no comment is duplicated.
func (e *editor) resultHasComments(le *entry) bool {
	if !hasComment(e.text.bytes[le.float:max(le.float, le.lead)]) {
		return false
	}
	if e.resultLines == nil {
		e.resultLines = CommentLines(e.decided)
	}
	return hasAny(e.resultLines, e.loose(le))
}

// upstreamLacksComments reports whether upstream has no line of the loose comments above an entry.
func (e *editor) upstreamLacksComments(le *entry) bool {
	if e.upstreamLines == nil && e.other != nil {
		e.upstreamLines = CommentLines(e.other.root)
	}
	words := slices.DeleteFunc(e.loose(le), func(line string) bool { return strings.Trim(line, "#-=* ") == "" })
	return e.upstreamLines != nil && !hasAny(e.upstreamLines, words)
}

// loose returns the lines of the loose comments above an entry, which have an empty line below them.
func (e *editor) loose(le *entry) []string {
	return linesOf(string(e.text.bytes[le.float:max(le.float, le.lead)]))
}

// hasAny reports whether one of the lines is counted.
func hasAny(count map[string]int, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return count[line] > 0 })
}

// keepLooseComments notes the comments that stay above an entry that goes.
func (e *editor) keepLooseComments(le *entry) {
	comments := e.loose(le)
	e.left = append(e.left, comments...)
	e.doubt = e.doubt || len(comments) > 0
}

// doubtCommentsBelow marks an edit as doubtful if comments follow: their owner may depend on the lines above them.
func (e *editor) doubtCommentsBelow(at int) {
	text := e.text.bytes
	if at = skipBlankLines(text, at); at < len(text) && text[skipSpaces(text, at)] == '#' {
		e.doubt = true
	}
}

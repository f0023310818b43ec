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
	kids, ok := e.inherited(lp, part, e.kids(lp, up, part))
	if !ok {
		return false
	}
	gone := goneOf(lp, kids)
	if lp.lines && !lp.trailing && len(kids) > 0 {
		if e.open == nil {
			e.open = map[*Part]bool{}
		}
		e.open[kids[len(kids)-1].part] = true
	}
	if !e.editKids(lp, up, kids, gone, part) {
		return false
	}
	left := e.leftBelow(lp, gone, footOf(part.Key, part.Value))
	e.remove(lp, gone, left, part)
	if left == nil {
		e.tail(in, lp, up, kids, part)
	}
	return true
}

// editKids edits the entries that stay in a collection over lines, and puts the others in their places. It reports
// whether it could.
func (e *editor) editKids(lp, up *place, kids []kid, gone []bool, part *Part) bool {
	first, at, ok := e.first(lp, up, kids, gone, part)
	if !ok {
		return false
	}
	tighter := -1
	for i := first; i < len(kids); i++ {
		k := &kids[i]
		e.path = append(e.path, k.index)
		if k.stays {
			e.blankAbove(lp, up, kids, i, &tighter)
			e.entry(lp, &lp.entries[k.at], e.sourceOf(up, k), k.part)
			at = lp.entries[k.at].end
		} else {
			e.insertLines(lp, up, k, at)
		}
		e.path = e.path[:len(e.path)-1]
	}
	return true
}

// insertLines puts the lines of an entry that is new in its place at a position.
func (e *editor) insertLines(lp, up *place, k *kid, at int) {
	lines := e.arriving(lp, up, k)
	if isBelowBlank(e.text.bytes, at) { // the line may belong to a block scalar
		lines = lines[skipBlankLines(lines, 0):]
	}
	e.change(at, at, lines)
	e.watch(at)
	if k.at < 0 {
		e.arrive(at, e.sourceOf(up, k).entry, lines)
	}
}

// goneOf reports for each entry whether it loses its lines, because it is removed or moves.
func goneOf(lp *place, kids []kid) []bool {
	gone := slices.Repeat([]bool{true}, len(lp.entries))
	for _, k := range kids {
		if k.stays {
			gone[k.at] = false
		}
	}
	return gone
}

func (e *editor) sourceOf(up *place, k *kid) source {
	if k.up < 0 {
		return source{}
	}
	return source{in: up, entry: &up.entries[k.up]}
}

// first writes the kids before the first entry that stays, if that position is in the line of a dash. It returns the
// index of the next kid and its position.
func (e *editor) first(lp, up *place, kids []kid, gone []bool, part *Part) (next, at int, ok bool) {
	le, text := &lp.entries[0], e.text.bytes
	if !le.inline(text) {
		if hasComment(text[le.float:le.lead]) {
			e.leave(le)
			return 0, e.kept(le, part), true
		}
		if start := e.kept(le, part); start > le.lead {
			return 0, start, true
		}
		return 0, le.float, true
	}
	if kids[0].stays && kids[0].at == 0 {
		return 0, le.start, true
	}
	e.doubt = true
	var lines []byte
	for next < len(kids) && !kids[next].stays {
		e.path = append(e.path, kids[next].index)
		lines = append(lines, e.arriving(lp, up, &kids[next])...)
		e.path = e.path[:len(e.path)-1]
		next++
	}
	if len(lines) == 0 {
		return next, le.start, e.closeUp(lp, &kids[next], gone)
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

// closeUp removes the entries between a dash and the first entry that stays, which comes behind the dash, and reports
// whether it could: that entry's comments must not change.
func (e *editor) closeUp(lp *place, k *kid, gone []bool) bool {
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

// arriving returns the lines of an entry that is new in its place: a moved one, or one of the other side.
func (e *editor) arriving(lp, up *place, k *kid) []byte {
	if k.at >= 0 {
		return e.moved(lp, &lp.entries[k.at], e.sourceOf(up, k), k.part)
	}
	return e.lines(lp, e.sourceOf(up, k), k.part, true)
}

// moved returns the lines of an entry, edited, with the comments directly above.
func (e *editor) moved(lp *place, le *entry, from source, part *Part) []byte {
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
		if le != left && start <= le.lead && (e.isSaid(le) || part.Stale[le.named()] && e.isUnsaid(le)) {
			start = min(start, le.float)
		} else {
			e.leave(le)
		}
		e.watch(le.end)
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

// isSaid reports whether the result has a line of an entry's loose comments elsewhere. Then they are removed with the
// entry: no comment is duplicated.
func (e *editor) isSaid(le *entry) bool {
	if !hasComment(e.text.bytes[le.float:max(le.float, le.lead)]) {
		return false
	}
	if e.said == nil {
		e.said = CommentLines(e.decided)
	}
	return has(e.said, e.loose(le))
}

// isUnsaid reports whether upstream has no line of the loose comments above an entry.
func (e *editor) isUnsaid(le *entry) bool {
	if e.heard == nil && e.other != nil {
		e.heard = CommentLines(e.other.root)
	}
	words := slices.DeleteFunc(e.loose(le), func(line string) bool { return strings.Trim(line, "#-=* ") == "" })
	return e.heard != nil && !has(e.heard, words)
}

// loose returns the lines of the loose comments above an entry, which have an empty line below them.
func (e *editor) loose(le *entry) []string {
	return linesOf(string(e.text.bytes[le.float:max(le.float, le.lead)]))
}

// has reports whether one of the lines is counted.
func has(count map[string]int, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return count[line] > 0 })
}

// leave notes the comments that stay above an entry that goes.
func (e *editor) leave(le *entry) {
	comments := e.loose(le)
	e.left = append(e.left, comments...)
	e.doubt = e.doubt || len(comments) > 0
}

// watch marks an edit as doubtful if comments follow: their owner may depend on the lines above them.
func (e *editor) watch(at int) {
	text := e.text.bytes
	if at = skipBlankLines(text, at); at < len(text) && text[skipSpaces(text, at)] == '#' {
		e.doubt = true
	}
}

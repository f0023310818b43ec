package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// head edits the comments above an entry of a block collection, and reports whether it could.
func (e *editor) head(in *place, le *entry, from source, part *Part) bool {
	have, want := le.named().HeadComment, headOf(part.Key, part.Value)
	if e.text.json || sameText(have, want) {
		return true
	}
	if le == e.text.first() {
		e.header(le, want)
		return true
	}
	if le.inline(e.text.bytes) {
		return false
	}
	e.doubt = true
	column, near, theirs := in.column, inPlace, commentGap{}
	if from.entry != nil && from.in.form == block {
		column, near = e.besideOther(in, le, from, want)
		theirs = commentGap{from.entry.float, from.entry.start, from.in.column}
	}
	if column > in.column { // the comments may belong to the field above
		e.left = append(e.left, strings.Split(want, "\n")...)
	}
	e.comments(commentGap{le.float, lineStart(e.text.bytes, le.start), in.column}, theirs, column, near, want)
	return true
}

// header writes the comments between the dash of an item and its first field.
func (e *editor) header(first *entry, want string) {
	text, mark := e.text.bytes, e.text.top.entries[0].mark
	column := first.start - lineStart(text, first.start)
	margin := strings.Repeat(" ", column)
	if lineStart(text, mark) == lineStart(text, first.start) {
		margin = strings.Repeat(" ", mark-lineStart(text, mark)) + string(text[mark:first.start])
	}
	lines := commentLines(slices.Collect(strings.Lines(strings.TrimSpace(want))), margin)
	behind := min(mark-lineStart(text, mark), len(margin)-1) // the first line begins behind the dash
	e.doubt = true
	e.change(mark, first.start, append(lines, margin...)[behind:])
}

// tail edits the comments below the last entry of a block collection. A list in the column of its parent map has them
// one column deeper.
func (e *editor) tail(in, lp, up *place, children []child, part *Part) {
	if e.text.json || sameText(lp.node.FootComment, footOf(part.Key, part.Value)) {
		return
	}
	e.doubt = true
	column, end, near, theirs := lp.column, lp.end, inPlace, commentGap{}
	if up != nil && up.form == block && len(up.entries) > 0 {
		theirs = commentGap{up.entries[len(up.entries)-1].end, up.end, up.column}
		if isBlankLine(e.other.bytes, theirs.start) && !e.isTight(lp, up, children) {
			near = atEnd
		}
	}
	if lp.lines {
		end = lp.closing
	} else if lp.node.Kind == yaml.SequenceNode && column == in.column {
		column++
	} else if n := len(children) - 1; n >= 0 && children[n].stays && up != nil && up.form == block && children[n].up == len(up.entries)-1 {
		column = e.columnBelow(lp, up, &lp.entries[children[n].at], children[n].up, up.end, footOf(part.Key, part.Value))
	}
	e.comments(commentGap{lp.entries[len(lp.entries)-1].end, end, lp.column}, theirs, column, near, footOf(part.Key, part.Value))
	if up != nil && lp.node.FootComment == "" {
		e.arrived = arrival{at: lp.end, end: up.end}
	}
}

// foot edits the block of comments below the line of a field, and reports whether it could. The comments at the end of a
// map or list are edited with that.
func (e *editor) foot(in *place, le *entry, from source, part *Part) bool {
	if e.text.json || le.key == nil || !le.value.hasBlocks() {
		return true
	}
	want := footOf(part.Key, part.Value)
	if sameText(le.key.FootComment, want) {
		return true
	}
	if in.form != block || le.question {
		return false
	}
	e.doubt = true
	gap, theirs := commentGap{le.end - le.block, le.end, in.column}, commentGap{}
	column := in.column + e.unit
	if fe := from.entry; fe != nil && fe.block > 0 {
		theirs = commentGap{fe.end - fe.block, fe.end, from.in.column}
		column = max(in.column+1, e.columnIn(in, from.in, theirs.start, theirs.end, want))
	}
	e.comments(gap, theirs, column, inPlace, want)
	return true
}

// comments makes the comment lines of a gap read want. Lines that stay are not touched; new ones get the column of the
// ones that they replace, else of the kept line beside them, else column, and keep the columns to one another that they
// have in the other side's gap theirs. If no line stays, near gives the place of the new ones.
func (e *editor) comments(gap, theirs commentGap, column int, near commentPlace, want string) {
	have := commentsIn(e.text.bytes, gap.start, gap.end)
	lines := e.wantedLines(want, gap, theirs)
	pairs := alignedLines(lines, have)
	if !slices.ContainsFunc(pairs, func(of int) bool { return of >= 0 && len(have[of].text) > 0 }) {
		e.newComments(change{gap.start, gap.end, inColumns(lines, e.columnOf(have, column), -1)}, have, near)
		return
	}
	kept, beside := -1, -1
	for i := 0; i <= len(lines); i++ {
		from, next := i, len(have)
		for i < len(lines) && pairs[i] < 0 {
			i++
		}
		if i < len(lines) {
			next = pairs[i]
		}
		if added := lines[from:i]; len(added) > 0 || next > kept+1 {
			to := next
			if near.isInPlace() && kept < 0 && len(added) == 0 && to > 1 && to < len(have) && len(have[to-1].text) == 0 && e.arrivedApart(gap.start) {
				to--
			}
			if kept < 0 && next == 0 && e.arrivedWith(gap, theirs, added) {
				e.change(gap.start, gap.start, inColumns(added[:len(added)-1], column, beside))
			} else {
				e.hunk(have, kept, to, gap.end, column, beside, near, added)
			}
		}
		if kept = next; kept < len(have) && len(have[kept].text) > 0 {
			column, beside = e.columnOf(have[kept:kept+1], column), lines[i].theirs
		}
	}
}

// arrivedApart reports whether lines of the other side were put at a position, and have an empty line below them there.
func (e *editor) arrivedApart(at int) bool {
	return e.arrived.end > 0 && e.arrived.at == at && isBlankLine(e.other.bytes, e.arrived.end)
}

// arrivedWith reports whether new comments stand directly below lines of the other side that were put at the start of a gap,
// with an empty line below them, which the gap has already: they belong to the field that arrived.
func (e *editor) arrivedWith(gap, theirs commentGap, added []commentLine) bool {
	return len(added) > 1 && added[len(added)-1].text == "" && e.arrived == arrival{at: gap.start, end: theirs.start} &&
		!isBlankLine(e.other.bytes, theirs.start) && isBlankLine(e.text.bytes, gap.start)
}

// columnOf returns the column of the first comment among lines, usual if there is none.
func (e *editor) columnOf(lines []change, usual int) int {
	for _, line := range lines {
		if len(line.text) > 0 {
			return skipSpaces(e.text.bytes, line.start) - line.start
		}
	}
	return usual
}

// commentsIn returns the lines from the first comment between start and end to the last one.
func commentsIn(text []byte, start, end int) (lines []change) {
	last := 0
	for at := start; at < end; at = stream.NextLine(text, at) {
		line := bytes.TrimSpace(text[at:lineEnd(text, at)])
		if len(line) == 0 && len(lines) == 0 {
			continue
		}
		lines = append(lines, change{at, stream.NextLine(text, at), line})
		if len(line) > 0 {
			last = len(lines)
		}
	}
	return lines[:last]
}

// hunk puts new comment lines between two lines that stay, in place of the lines there. kept is -1 above the first
// line, and next is behind the last one below it: there a new line for the place right above the entry goes to the
// end of the gap. column and beside are the columns of the line that stays above in the text and on the other side.
func (e *editor) hunk(have []change, kept, next, end, column, beside int, near commentPlace, added []commentLine) {
	c := change{}
	switch {
	case next > kept+1:
		c.start, c.end = have[kept+1].start, have[next-1].end
		column, beside = e.columnOf(have[kept+1:next], column), -1
	case next < len(have):
		c.start, c.end = have[next].start, have[next].start
	case near == above || near.isInPlace():
		if c.start, c.end = end, end; added[0].text == "" && isBelowBlank(e.text.bytes, end) {
			added = added[1:]
		}
	default:
		c.start, c.end = have[kept].end, have[kept].end
	}
	c.text = inColumns(added, column, beside)
	e.removing(c)
}

// alignedLines pairs the lines of a wanted comment with the lines of the present one.
func alignedLines(lines []commentLine, have []change) []int {
	wanted, there := make([]string, len(lines)), make([]string, len(have))
	for i, line := range lines {
		wanted[i] = line.text
	}
	for i, line := range have {
		there[i] = string(line.text)
	}
	return align.Lines(wanted, there)
}

// commentLines returns the lines of a comment behind a margin.
func commentLines(lines []string, margin string) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		if line = comment(line); line != "" {
			b.WriteString(margin)
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

// removing makes a change. If it removes all lines between two empty lines, it also removes one of these.
func (e *editor) removing(c change) {
	text := e.text.bytes
	if len(c.text) == 0 && isBelowBlank(text, c.start) && (c.end == len(text) || isBlankLine(text, c.end)) {
		c.start = lineStart(text, c.start-1)
	}
	e.change(c.start, c.end, c.text)
}

// newComments puts comments into a gap between two entries, in place of the lines that it has, or in the place near.
func (e *editor) newComments(gap change, have []change, near commentPlace) {
	text, c := e.text.bytes, change{gap.end, gap.end, gap.text}
	if len(have) > 0 {
		c.start, c.end = have[0].start, have[len(have)-1].end
	}
	switch {
	case len(c.text) == 0:
		e.removing(c)
		return
	case near == above && c.end < gap.end:
		e.removing(change{c.start, c.end, nil})
		c.start, c.end = gap.end, gap.end
	case near == below && c.start == c.end:
		c.start, c.end = gap.start, gap.start
	}
	if (near == below || near == apart) && c.end == gap.end {
		c.text = append(c.text, '\n')
	}
	if near == apart && !isBelowBlank(text, c.start) || near == atEnd && len(have) == 0 && !e.endsBlank(c.start) {
		c.text = append([]byte("\n"), c.text...)
	}
	e.change(c.start, c.end, c.text)
}

// endsBlank reports whether the edited text has an empty line, or nothing, above a position.
func (e *editor) endsBlank(at int) bool {
	for i := len(e.changes) - 1; i >= 0 && e.changes[i].end == at && len(e.changes[i].text) == 0; i-- {
		at = e.changes[i].start
	}
	return at == 0 || isBelowBlank(e.text.bytes, at)
}

// comment returns a line of a comment with its `#`.
func comment(line string) string {
	if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
		return "# " + line
	}
	return line
}

// lineComment edits the comment at the end of the line of an entry of a block collection, and reports whether it could.
func (e *editor) lineComment(in *place, le, from *entry, part *Part) bool {
	text, want := e.text.bytes, oneLine(lineOf(part.Key, part.Value))
	if e.text.json || sameText(lineOf(le.key, le.value.node), want) {
		return true
	}
	switch {
	case le.odd || le.question:
		return false
	case le.key == nil && le.value.form == block && !le.value.isMarked() && (le.comment < 0 || want == ""):
		return e.dashComment(le, want)
	case le.comment < 0:
		return false
	case le.comment == le.commentEnd && want != "":
		e.change(le.comment, skipSpaces(text, le.comment), []byte(e.spacing(from, want)+want))
	case want == "":
		e.change(trimLeft(text, le.comment), le.commentEnd, nil)
	default:
		e.change(le.comment, le.commentEnd, []byte(want))
	}
	return true
}

// dashComment writes or removes the comment between the dash of an element and its collection, and reports whether it
// could.
func (e *editor) dashComment(le *entry, want string) bool {
	text, first := e.text.bytes, &le.value.entries[0]
	if hasComment(text[min(first.float, first.start):first.start]) && want == "" {
		return false
	}
	for _, c := range e.changes {
		if c.start < first.start && c.end > le.mark || c.start == first.start && c.end == c.start {
			return false
		}
	}
	e.doubt = true
	column := first.start - lineStart(text, first.start)
	if want != "" {
		e.change(le.mark, first.start, []byte(" "+want+"\n"+strings.Repeat(" ", column)))
		return true
	}
	e.change(le.mark, first.start, []byte(strings.Repeat(" ", max(1, column-(le.mark-lineStart(text, le.mark))))))
	return true
}

// oneLine returns a comment in one line.
func oneLine(text string) string {
	if !strings.Contains(text, "\n") {
		return comment(text)
	}
	return strings.Join(strings.FieldsFunc(tidy(text), func(r rune) bool { return r == '\n' }), " ")
}

// spacing returns the white space for a new line comment: as in the other text, if the comment comes from there, else a
// space, as before a merge comment.
func (e *editor) spacing(from *entry, want string) string {
	if from == nil || from.comment < 0 || bookkeeping.IsMergeComment(want) {
		return " "
	}
	text := e.other.bytes
	if string(text[from.comment:from.commentEnd]) != want {
		return " "
	}
	return string(text[trimLeft(text, from.comment):from.comment])
}

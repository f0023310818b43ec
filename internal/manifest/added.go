package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// layout is the layout of a text that new entries copy.
type layout struct {
	unit int
	wide bool
}

// layoutOf returns the layout of t, read from the first map and the first list below a key.
func layoutOf(t *Text) layout {
	l := layout{unit: 2, wide: IsWide(t.root)}
	if key, value := firstBelow(t.root, yaml.MappingNode); key != nil && value.Column-key.Column >= 2 && value.Column-key.Column <= 8 {
		l.unit = value.Column - key.Column
	}
	return l
}

// IsWide reports whether the first block sequence of a field is indented below its key. A sequence with an anchor or a
// tag does not count.
func IsWide(n *yaml.Node) bool {
	key, value := firstBelow(n, yaml.SequenceNode)
	return key != nil && value.Column > key.Column
}

// firstBelow returns the first field in a tree whose value is a block collection of a kind that was read from a text. A
// collection with an anchor or a tag does not count: its column is theirs.
func firstBelow(n *yaml.Node, kind yaml.Kind) (key, value *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && child.Kind == kind && child.Column > 0 && yamlnode.IsBlock(child) && !yamlnode.IsMarked(child) {
			return n.Content[i-1], child
		}
		if key, value = firstBelow(child, kind); key != nil {
			return key, value
		}
	}
	return nil, nil
}

// lines returns the lines of an entry for a block collection: the other side's, edited and moved to the column, else
// encoded. float includes the loose comments and empty lines further above.
func (e *editor) lines(in *place, from source, part *Part, float bool) []byte {
	if in.lines {
		return e.flowLines(in, part)
	}
	why := e.whyNot(from)
	if why == "" {
		if lines, ok := e.taken(in, from, part, float); ok {
			return lines
		}
		if why = notTaken; e.isMarked(from.entry) {
			why = isAnchored
		}
	}
	e.noteEncoding(part, why)
	e.doubt = true
	key, value := part.Key, part.Value
	if e.isUnfolding() {
		if value = inLines(value); key != nil {
			key = inLines(key)
		}
	}
	return e.encoded(key, value, in.column)
}

// taken returns the lines of the other side's entry, edited.
func (e *editor) taken(in *place, from source, part *Part, float bool) ([]byte, bool) {
	text, fe := e.other.bytes, from.entry
	sub := editor{base: parts.Upstream, text: e.other, layout: e.layout, decided: e.decided, path: slices.Clone(e.path), forced: e.forced, open: e.open, home: e, away: in.column - from.in.column}
	if !e.isMarked(fe) {
		if sub.entry(from.in, fe, source{}, part); sub.mustEncode {
			return nil, false
		}
	} else if sub.doubt = true; !e.asTheyStand(fe, part) {
		return nil, false
	}
	start, margin := fe.lead, ""
	if float {
		start = fe.float
	}
	if fe.inline(text) {
		start, margin = fe.start, strings.Repeat(" ", from.in.column)
	}
	for _, c := range sub.changes {
		if c.start < start {
			return nil, false
		}
	}
	lines := append([]byte(margin), applied(text, start, fe.end, sub.changes)...)
	lines, exact := shifted(lines, in.column-from.in.column)
	e.doubt = e.doubt || sub.doubt || !exact || isBelowBlank(lines, len(lines))
	e.encodings = append(e.encodings, sub.encodings...)
	return lines, true
}

// arrival is the position at which the other side's lines were put into the text, and their end in the other text.
type arrival struct{ at, end int }

// arrive notes that lines of an entry of the other side were put at a position.
func (e *editor) arrive(at int, from *entry, lines []byte) {
	if from != nil && !isBelowBlank(lines, len(lines)) {
		e.arrived = arrival{at: at, end: from.end}
	}
}

// blankAbove copies the other side's empty lines above an entry that stays, if the other side's lines arrived
// directly above it. It copies none if the entry has empty lines above it already, or if the collection lacks the
// other side's empty lines elsewhere. tighter caches the number of these places, -1 before they are counted.
func (e *editor) blankAbove(lp, up *place, children []child, i int, tighter *int) {
	le, from := &lp.entries[children[i].at], e.sourceOf(up, &children[i]).entry
	if from == nil || lp.form != up.form || e.text.json != e.other.json || e.arrived.end == 0 || from.float != e.arrived.end || e.arrived.at != le.float && e.arrived.at != le.lead || le.inline(e.text.bytes) {
		return
	}
	if *tighter < 0 {
		*tighter = 0
		for _, k := range children {
			if e.isTighter(lp, up, children, k) {
				*tighter++
			}
		}
	}
	at, others := e.arrived.at, *tighter
	if e.isTighter(lp, up, children, children[i]) {
		others--
	}
	if others == 0 && !isBlankLine(e.text.bytes, at) && !e.addsLooseComments(le, from, children[i].part) {
		e.change(at, at, blanks(e.other.bytes, from.float))
	}
}

// addsLooseComments reports whether loose comments are added above an entry that stays: comments between empty lines.
func (e *editor) addsLooseComments(le, from *entry, part *Part) bool {
	return le.named().HeadComment == "" && headOf(part.Key, part.Value) != "" && hasComment(e.other.bytes[from.float:max(from.float, from.lead)])
}

// isTighter reports whether the other side has an empty line above an entry that stays, and
// the text has none in the same place.
func (e *editor) isTighter(lp, up *place, children []child, k child) bool {
	if k.index == 0 || !k.stays || k.up < 0 || children[k.index-1].at < 0 {
		return false
	}
	le, from := &lp.entries[k.at], &up.entries[k.up]
	return sameText(le.named().HeadComment, from.named().HeadComment) && isBlankLine(e.other.bytes, from.float) && !isBlankLine(e.text.bytes, le.float)
}

// isTight reports whether a collection has no empty line at its end where the other side may have one: above the entries
// at the end that go, else wherever the other side has empty lines. One without entries in the result is not tight.
func (e *editor) isTight(lp, up *place, children []child) bool {
	if len(children) == 0 {
		return false
	}
	if last := children[len(children)-1]; last.stays && last.at+1 < len(lp.entries) {
		return !isBlankLine(e.text.bytes, lp.entries[last.at+1].float)
	}
	return slices.ContainsFunc(children, func(k child) bool { return e.isTighter(lp, up, children, k) })
}

// blanks returns a line break for each of the empty lines at a position of a text.
func blanks(text []byte, at int) []byte {
	return bytes.Repeat([]byte("\n"), bytes.Count(text[at:skipBlankLines(text, at)], []byte("\n")))
}

// inlined fits lines behind the dash before a position: without their indentation, or, if there are comments above,
// in the lines below the dash. It returns the position and the lines.
func (e *editor) inlined(at int, lines []byte) (int, []byte) {
	bare := bytes.TrimLeft(lines, " \n")
	if len(bare) > 0 && bare[0] == '#' {
		return trimLeft(e.text.bytes, at), append([]byte("\n"), lines...)
	}
	return at, bare
}

// besideOther returns the column and the place of new comments above an entry, by the comments above its counterpart
// in a block collection.
func (e *editor) besideOther(in *place, le *entry, from source, want string) (column int, near commentPlace) {
	text, fe := e.other.bytes, from.entry
	column, near = in.column, above
	switch n := len(e.changes); {
	case fe.inline(text):
	case n == 0 || e.changes[n-1].start != le.float:
		column = e.columnBelow(in, from.in, e.above, indexOf(from.in, fe)-1, fe.start, want)
	case e.arrived == arrival{at: le.float, end: fe.float}:
		column = e.columnIn(in, from.in, fe.float, fe.start, want)
	}
	column = max(0, column+min(0, e.indentIn(from.in, fe.float, fe.start, want)))
	switch {
	case !isBelowBlank(text, lineStart(text, fe.start)):
	case isBlankLine(text, fe.float):
		near = apart
	default:
		near = below
	}
	return column, near
}

// commentPlace is the place of new comments among the empty lines between two entries.
type commentPlace int

const (
	inPlace commentPlace = iota // in place of the old comments, else at the end
	above                       // right above the entry that follows
	below                       // right below the entry before
	apart                       // between empty lines
	atEnd                       // at the end, below an empty line
)

// isInPlace reports whether new comments stand in place of the old ones, or at the end if there are none.
func (s commentPlace) isInPlace() bool { return s == inPlace || s == atEnd }

// indexOf returns the index of an entry of p.
func indexOf(p *place, of *entry) int {
	at, _ := slices.BinarySearchFunc(p.entries, of.start, func(e entry, start int) int { return e.start - start })
	return at
}

// columnBelow returns the column of new comments below a field of in, nil if there is none, whose counterpart is the
// field of in up. It is upstream's column if upstream indents the first comment deeper than the field, as below a null or
// an empty list, and if the field has no lines of its own that could own the comments, or was filled by uncommenting some
// of them.
func (e *editor) columnBelow(in, up *place, mine *entry, of, end int, want string) int {
	if mine == nil || of < 0 {
		return in.column
	}
	other := &up.entries[of]
	if mine.key == nil || other.key == nil || !mine.isNamed(yamlnode.Resolve(other.key).Value) ||
		mine.value.form == literal || mine.value.form == block && !yamlnode.IsEmpty(other.value.node) {
		return in.column
	}
	return e.columnIn(in, up, other.end, end, want)
}

// columnIn returns the column in in of new comments that upstream has in up between two indexes: no column less than the
// fields'.
func (e *editor) columnIn(in, up *place, start, end int, want string) int {
	return in.column + max(0, e.indentIn(up, start, end, want))
}

// indentIn returns the columns by which upstream indents new comments between two indexes deeper than the fields of up.
func (e *editor) indentIn(up *place, start, end int, want string) int {
	text := e.other.bytes
	first, _, _ := strings.Cut(strings.TrimSpace(want), "\n")
	for line := start; line < end; line = stream.NextLine(text, line) {
		if string(bytes.TrimSpace(text[line:lineEnd(text, line)])) == first {
			return skipSpaces(text, line) - line - up.column
		}
	}
	return 0
}

// commentGap is the room for comments above an entry, or below the last one, between entries of a column.
type commentGap struct{ start, end, column int }

// commentLine is a line of a comment that the result has. theirs is its column on the other side, and own its column in
// local's text, -1 where it is not there. least is the column of local's fields if the line is not left of the other
// side's.
type commentLine struct {
	text, tail         string // the spaces behind it
	theirs, own, least int
}

// wantedLines returns the lines of a comment for a gap, with their columns in a gap of the other side.
func (e *editor) wantedLines(want string, gap, theirs commentGap) []commentLine {
	if want = strings.TrimSpace(want); want == "" {
		return nil
	}
	var lines []commentLine
	for line := range strings.SplitSeq(want, "\n") {
		line = strings.TrimSpace(line)
		lines = append(lines, commentLine{text: line, theirs: -1, own: e.ownColumn(line)})
	}
	if theirs.end == 0 {
		return lines
	}
	text, have := e.other.bytes, commentsIn(e.other.bytes, theirs.start, theirs.end)
	for i, of := range alignedLines(lines, have) {
		if of >= 0 && lines[i].text != "" {
			start, end := skipSpaces(text, have[of].start), lineEnd(text, have[of].start)
			lines[i].theirs, lines[i].tail = start-have[of].start, string(text[start+len(have[of].text):end])
			if lines[i].theirs >= theirs.column {
				lines[i].least = gap.column
			}
		}
	}
	return lines
}

// ownColumn returns the column of a comment's line in local's text, -1 if it is not there or has several columns.
func (e *editor) ownColumn(line string) int {
	home := e
	if e.home != nil {
		home = e.home
	}
	if home.columns == nil {
		home.columns = map[string]int{}
		for _, c := range commentsIn(home.text.bytes, 0, len(home.text.bytes)) {
			if len(c.text) == 0 || c.text[0] != '#' {
				continue
			}
			at := skipSpaces(home.text.bytes, c.start) - c.start
			if was, ok := home.columns[string(c.text)]; ok && was != at {
				at = -1
			}
			home.columns[string(c.text)] = at
		}
	}
	if at, ok := home.columns[line]; ok && at >= 0 {
		return at - e.away
	}
	return -1
}

// inColumns returns lines of comments. Their column is that of a line with the column beside on the other side, or of the
// first line if beside is -1, and they keep the other side's distance to it, but stay right of the column of the fields
// where the other side has them there. A line of local's own that stands further left stays there.
func inColumns(lines []commentLine, column, beside int) []byte {
	var b bytes.Buffer
	margin := column
	for _, line := range lines {
		if line.theirs >= 0 && beside < 0 {
			beside = line.theirs
		}
		at := margin
		if line.theirs >= 0 {
			margin = max(0, min(column, line.least), column+line.theirs-beside)
			at = margin
		} else if line.own >= 0 {
			at = min(at, line.own)
		}
		b.Write(commentLines([]string{line.text}, strings.Repeat(" ", at)))
		if line.tail != "" {
			b.Truncate(b.Len() - 1)
			b.WriteString(line.tail + "\n")
		}
	}
	return b.Bytes()
}

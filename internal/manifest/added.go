package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// layout is the layout of a text that new entries copy.
type layout struct {
	unit  int
	wide  bool
	space string // before line comments; "" before it is known
}

// layoutOf returns the layout of t, read from the first map and the first list below a key.
func layoutOf(t *Text) layout {
	l, known := layout{}, false
	var look func(p *place)
	look = func(p *place) {
		for i := range p.entries {
			v := p.entries[i].value
			if p.entries[i].key != nil && v.form == block && v.node.Kind == yaml.MappingNode && l.unit == 0 {
				l.unit = v.column - p.column
			}
			if p.entries[i].key != nil && v.form == block && v.node.Kind == yaml.SequenceNode && !known {
				l.wide, known = v.column > p.column, true
			}
			if l.unit > 0 && known {
				return
			}
			look(v)
		}
	}
	look(t.top)
	if l.unit < 2 || l.unit > 8 {
		l.unit = 2
	}
	return l
}

// lines returns the lines of an entry for a block collection: the other side's, edited and moved to the column, else
// encoded. float includes the loose comments and empty lines further above.
func (e *editor) lines(in *place, from source, part *Part, float bool) []byte {
	if in.lines {
		return e.flowLines(in, from, part, float)
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
	e.tell(part, why)
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
	sub := editor{base: parts.Upstream, text: e.other, layout: e.layout, decided: e.decided, path: slices.Clone(e.path), forced: e.forced, open: e.open}
	if !e.isMarked(fe) {
		sub.entry(from.in, fe, source{}, part)
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
	e.told = append(e.told, sub.told...)
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
func (e *editor) blankAbove(lp, up *place, kids []kid, i int, tighter *int) {
	le, from := &lp.entries[kids[i].at], e.sourceOf(up, &kids[i]).entry
	if from == nil || lp.form != up.form || e.text.json != e.other.json || e.arrived.end == 0 || from.float != e.arrived.end || e.arrived.at != le.float && e.arrived.at != le.lead || le.inline(e.text.bytes) {
		return
	}
	if *tighter < 0 {
		*tighter = 0
		for _, k := range kids {
			if e.isTighter(lp, up, kids, k) {
				*tighter++
			}
		}
	}
	at, others := e.arrived.at, *tighter
	if e.isTighter(lp, up, kids, kids[i]) {
		others--
	}
	if others == 0 && !isBlankLine(e.text.bytes, at) && !e.comesApart(le, from, kids[i].part) {
		e.change(at, at, blanks(e.other.bytes, from.float))
	}
}

// comesApart reports whether loose comments are added above an entry that stays: comments between empty lines.
func (e *editor) comesApart(le, from *entry, part *Part) bool {
	return le.named().HeadComment == "" && headOf(part.Key, part.Value) != "" && hasComment(e.other.bytes[from.float:max(from.float, from.lead)])
}

// isTighter reports whether the other side has an empty line above an entry that stays, and
// the text has none in the same place.
func (e *editor) isTighter(lp, up *place, kids []kid, k kid) bool {
	if k.index == 0 || !k.stays || k.up < 0 || kids[k.index-1].at < 0 {
		return false
	}
	le, from := &lp.entries[k.at], &up.entries[k.up]
	return sameText(le.named().HeadComment, from.named().HeadComment) && isBlankLine(e.other.bytes, from.float) && !isBlankLine(e.text.bytes, le.float)
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

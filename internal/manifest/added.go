package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// layout is how a text is laid out, as far as what is written anew follows it.
type layout struct {
	eol   string
	unit  int
	wide  bool
	space string // before line comments; "" before it is known
}

// layoutOf reads the layout of t: the line break of its first line, and how the
// first map and the first list below a key are indented.
func layoutOf(t *Text) layout {
	l := layout{eol: t.eol}
	wide, known := false, false
	var look func(p *place)
	look = func(p *place) {
		for i := range p.entries {
			v := p.entries[i].value
			if p.entries[i].key != nil && v.form == block && v.node.Kind == yaml.MappingNode && l.unit == 0 {
				l.unit = v.column - p.column
			}
			if p.entries[i].key != nil && v.form == block && v.node.Kind == yaml.SequenceNode && !known {
				wide, known = v.column > p.column, true
			}
			if l.unit > 0 && known {
				return
			}
			look(v)
		}
	}
	look(t.top)
	if l.wide = wide; l.unit < 2 || l.unit > 8 {
		l.unit = 2
	}
	return l
}

// lines returns the lines of an entry as they come into a block collection: the
// other side's, edited and moved to the column, else encoded. float says that
// the empty lines and comments come along that stand further above.
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
	if e.isUnfolding() {
		own := Part{Value: inLines(part.Value)}
		if part.Key != nil {
			own.Key = inLines(part.Key)
		}
		return e.encoded(&own, in.column)
	}
	return e.encoded(part, in.column)
}

// taken returns the lines of the other side's entry, edited.
func (e *editor) taken(in *place, from source, part *Part, float bool) ([]byte, bool) {
	text, fe := e.other.bytes, from.entry
	sub := editor{base: identity.Upstream, text: e.other, layout: e.layout, decided: e.decided, path: slices.Clone(e.path), forced: e.forced, open: e.open}
	sub.eol = e.other.eol
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
	lines, exact := shifted(lines, in.column-from.in.column, e.eol)
	e.doubt = e.doubt || sub.doubt || !exact || isBelowBlank(lines, len(lines))
	e.told = append(e.told, sub.told...)
	return lines, true
}

// inlined makes lines fit behind the dash before a position: without their
// indentation, or, if there are comments above, in the lines below the dash. It
// returns where they go.
func (e *editor) inlined(at int, lines []byte) (int, []byte) {
	bare := bytes.TrimLeft(lines, " \r\n")
	if len(bare) > 0 && bare[0] == '#' {
		return trimLeft(e.text.bytes, at), append([]byte(e.eol), lines...)
	}
	return at, bare
}

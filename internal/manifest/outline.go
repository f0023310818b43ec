package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Spot is where a field, an element or the resource itself stands in a text. The
// spots of a collection's entries touch: each begins where the one before it ends.
type Spot struct {
	// Key is nil in a list and at the top.
	Key, Value *yaml.Node
	// Start is where the lines begin that belong to the entry: empty ones and
	// comments first. Lead is where the comments directly above begin, and Line the
	// line of the key or the dash. End is behind the last line.
	Start, Lead, Line, End int
	// Column is that of the key or dash.
	Column int
	// Inline says that the entry begins in the line of what holds it, or of the entry before
	// it, as the elements of a list of KYAML do: their lines begin with that, but for the
	// first one's.
	Inline bool
	// Literal says that the value is a block scalar; Body is where its lines begin.
	Literal bool
	Body    int
	// Kids are the entries of a collection that has lines for each; of any other value there
	// are none.
	Kids []Spot
}

// Outline returns the spots of a document. ok is false where the text is not
// understood.
func (t *Text) Outline() (top Spot, ok bool) {
	if len(t.top.entries) == 0 {
		return Spot{}, false
	}
	top = Spot{Value: t.root, End: len(t.bytes)}
	top.fill(t.bytes, t.top.entries[0].value)
	top.Lead, top.Line = top.body(), top.body()
	return top, true
}

// fill sets what a spot has of its value.
func (s *Spot) fill(text []byte, p *place) {
	switch {
	case p.odd || p.isMarked():
	case p.form == literal:
		s.Literal, s.Body = true, p.body
	case p.form == block || p.lines:
		s.Kids = kidsOf(text, p)
	case p.form == flow && p.node.Kind == yaml.SequenceNode:
		s.Kids = cuddledOf(text, p)
	}
}

// cuddledOf are the spots of the elements of a list whose brackets stand in the lines of
// theirs, as in KYAML; nil if it is none. The line between two elements is the second one's.
func cuddledOf(text []byte, p *place) []Spot {
	kids := make([]Spot, len(p.entries))
	end := p.bare + 1
	for i := range p.entries {
		v, k := p.entries[i].value, &kids[i]
		if !v.lines || v.isMarked() || lineStart(text, v.start) != lineStart(text, end) {
			return nil
		}
		if k.Line = lineStart(text, v.start); i == 0 {
			k.Line = stream.NextLine(text, v.start)
		} else {
			kids[i-1].End = k.Line
		}
		k.Value, k.Start, k.Lead, k.Column, k.Inline = v.node, k.Line, k.Line, v.column, true
		k.fill(text, v)
		k.End, end = v.closing, v.end
	}
	if len(kids) == 0 || lineStart(text, p.end-1) != lineStart(text, end) {
		return nil
	}
	return kids
}

// body is where the first entry begins, or the end of a spot without entries.
func (s *Spot) body() int {
	if len(s.Kids) > 0 {
		return s.Kids[0].Start
	}
	return s.End
}

// kidsOf are the spots of the entries of a collection over lines.
func kidsOf(text []byte, p *place) []Spot {
	kids := make([]Spot, len(p.entries))
	for i := range p.entries {
		e, k := &p.entries[i], &kids[i]
		k.Value, k.Line, k.End = e.value.node, lineStart(text, e.start), e.end
		k.Lead, k.Column = e.lead, e.start-k.Line
		if e.key != nil {
			k.Key = e.key
		}
		switch k.Inline = e.inline(text); {
		case i > 0:
			k.Start = kids[i-1].End
		case k.Inline:
			k.Start, k.Lead = k.Line, k.Line
		default:
			k.Start = e.float
		}
		if !e.odd {
			k.fill(text, e.value)
		}
	}
	return kids
}

// Part is one place of a result and what it was made of.
type Part = parts.Part

// Entry is a field or an element of one side.
type Entry = parts.Entry

// headOf is the comment above a field, or above an element, which has no key.
func headOf(key, value *yaml.Node) string {
	if key == nil {
		return value.HeadComment
	}
	return yamlnode.JoinComments("\n", key.HeadComment, value.HeadComment)
}

// lineOf is the comment at the end of the line.
func lineOf(key, value *yaml.Node) string {
	if key == nil {
		return value.LineComment
	}
	return yamlnode.JoinComments(" ", key.LineComment, value.LineComment)
}

// footOf is the comment below what is in a field or an element.
func footOf(key, value *yaml.Node) string {
	if key == nil {
		return value.FootComment
	}
	return yamlnode.JoinComments("\n", value.FootComment, key.FootComment)
}

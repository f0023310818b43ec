package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// LinesPart is the part of a string of several lines that both sides changed at the same lines, as
// conflicts name it.
const LinesPart = "lines"

// decideLines decides a string of several lines that both sides changed, a file
// in a ConfigMap or a script in args, line by line as git does (design 3.1). So
// is each of several such strings in a list without keys, if nothing else in the
// list changed. Of lines that collide the policy's side's are taken, and each stretch of
// them is a conflict, whose values are these lines.
func decideLines(e *element, policy Policy) (decision, bool) {
	m := linesMerge{side: policy.Side(e.path)}
	n, ok := m.lines(e.value[origin], e.effective(upstream), e.effective(local))
	if !ok {
		m.hunks = nil
		n, ok = m.texts(e)
	}
	if !ok {
		return decision{}, false
	}
	d := e.made(n)
	for _, hunk := range m.hunks {
		d.conflict(BothChanged, e, m.side)
		c := &d.conflicts[len(d.conflicts)-1]
		c.Part = LinesPart
		for side, text := range hunk.Versions {
			c.Values[side] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimSuffix(text, "\n")}
		}
	}
	if len(m.hunks) == 0 {
		d.remark(LinesMerged, e)
	}
	return d, true
}

// linesMerge merges strings of several lines: side is whose lines are taken where some collide,
// and hunks are where they did.
type linesMerge struct {
	side  identity.Side
	hunks []Stretch
}

// texts merges lists of one length that differ in strings of several lines
// alone, element by element.
func (m *linesMerge) texts(e *element) (*yaml.Node, bool) {
	versions := [3]*yaml.Node{e.value[origin], e.effective(upstream), e.effective(local)}
	if !areLists(versions[origin], versions[upstream], versions[local]) {
		return nil, false
	}
	for _, n := range versions {
		if n == nil || len(n.Content) != len(versions[origin].Content) {
			return nil, false
		}
	}
	out := *versions[local]
	out.Content = nil
	for i := range versions[origin].Content {
		n, ok := m.text(e.typ.Element(), versions[origin].Content[i], versions[upstream].Content[i], versions[local].Content[i])
		if !ok {
			return nil, false
		}
		out.Content = append(out.Content, n)
	}
	return &out, true
}

// text merges an element of such a list.
func (m *linesMerge) text(typ *schema.Type, o, u, l *yaml.Node) (*yaml.Node, bool) {
	upstreamSame, localSame := same(typ, o, u), same(typ, o, l)
	switch {
	case upstreamSame && localSame:
		return l, true
	case !hasLines(o) || !hasLines(u) || !hasLines(l):
		return nil, false
	case upstreamSame || same(typ, u, l):
		return l, true
	case localSame:
		return u, true
	}
	return m.lines(o, u, l)
}

// lines merges three strings of several lines.
func (m *linesMerge) lines(o, u, l *yaml.Node) (*yaml.Node, bool) {
	if !isString(o) || !hasLines(u) || !hasLines(l) {
		return nil, false
	}
	texts := [3]string{o.Value, u.Value, l.Value}
	merged, hunks := m.merged(texts)
	if !keepsSyntax(texts, merged) {
		return nil, false
	}
	m.hunks = append(m.hunks, hunks...)
	written := l
	if l.Style&yaml.LiteralStyle == 0 && u.Style&yaml.LiteralStyle != 0 {
		written = u
	}
	return withText(written, merged), true
}

// merged is a merge of texts, and the stretches that collide in it.
func (m *linesMerge) merged(texts [3]string) (merged string, hunks []Stretch) {
	var b strings.Builder
	for _, s := range Lines(texts) {
		if s.Collides {
			hunks = append(hunks, s)
			s.Text = s.Versions[m.side]
		}
		b.WriteString(s.Text)
	}
	return b.String(), hunks
}

// hasLines reports whether a value is a string of several lines: one with a line
// break before its end.
func hasLines(n *yaml.Node) bool {
	return isString(n) && strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n")
}

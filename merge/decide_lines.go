package merge

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// LinesPart is the part of a string of several lines that both sides changed at the same lines, as
// conflicts name it.
const LinesPart = "lines"

// decideLines decides a string of several lines that both sides changed, a file in a
// ConfigMap or a script in args, line by line as git does (rules/lists: lists without
// keys). So is each of several such strings in a list without keys, if nothing else in
// the list changed. Of lines that collide the policy's side's are taken, and each
// stretch of them is a conflict, whose values are these lines.
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

// keepsSyntax reports whether a merged text is still of the syntax, JSON or YAML, that
// all sides are of (rules/fields: strings of several lines). YAML is documents that are
// maps or lists, without a key twice.
func keepsSyntax(sides [3]string, merged string) bool {
	for _, of := range [2]func(string) bool{isJSON, isYAML} {
		if !of(merged) && of(sides[origin]) && of(sides[upstream]) && of(sides[local]) {
			return false
		}
	}
	return true
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

func isYAML(text string) (valid bool) {
	defer func() {
		if recover() != nil {
			valid = false // the parser's own failure
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	documents := 0
	for ; ; documents++ {
		var doc yaml.Node
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return documents > 0
		}
		if err != nil || doc.Content[0].Kind == yaml.ScalarNode && !yamlnode.IsNull(doc.Content[0]) {
			return false
		}
		if _, err := prepare(doc.Content[0]); err != nil {
			return false
		}
	}
}

// Stretch is some lines of a merged text: From's, or those of all sides where upstream's
// and local's changes collide.
type Stretch struct {
	From     identity.Side
	Text     string
	Collides bool
	// Versions are the lines that the sides have there, and Lines the numbers of the
	// first of them, from 1; only where they collide.
	Versions [3]string
	Lines    [3]int
}

// Lines merges texts line by line, as git does: changes with at least one unchanged line
// between them are both taken, changes that are alike once, and others collide. A line
// has its line break with it: a last line without one is another line, and so is one
// that ends in CR LF.
func Lines(texts [3]string) []Stretch {
	lines, pieces, _ := mergedPieces(texts)
	var out []Stretch
	for _, p := range pieces {
		switch {
		case p.collide:
			s := Stretch{Collides: true}
			for side := range lines {
				s.Versions[side] = strings.Join(lines[side][p.from[side]:p.to[side]], "")
				s.Lines[side] = p.from[side] + 1
			}
			out = append(out, s)
		case p.from[p.side] < p.to[p.side]:
			out = append(out, Stretch{From: p.side, Text: strings.Join(lines[p.side][p.from[p.side]:p.to[p.side]], "")})
		}
	}
	return out
}

// mergeLines merges texts line by line, if nothing collides.
func mergeLines(texts [3]string) (merged string, ok bool) {
	lines, pieces, ok := mergedPieces(texts)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, p := range pieces {
		for _, line := range lines[p.side][p.from[p.side]:p.to[p.side]] {
			b.WriteString(line)
		}
	}
	return b.String(), true
}

// mergedPieces are the lines of texts, and the pieces of these that are merged.
func mergedPieces(texts [3]string) (lines [3][]string, pieces []piece, clean bool) {
	var ids [3][]int
	index := map[string]int{}
	for side, text := range texts {
		lines[side] = strings.SplitAfter(text, "\n")
		for _, line := range lines[side] {
			id, found := index[line]
			if !found {
				id = len(index)
				index[line] = id
			}
			ids[side] = append(ids[side], id)
		}
	}
	pieces, clean = interweave(ids)
	return lines, pieces, clean
}

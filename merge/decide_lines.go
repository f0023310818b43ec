package merge

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// LinesPart is the Part of a conflict about lines of a string or a comment.
const LinesPart = "lines"

// decideLines merges a string of several lines that both sides changed, such as a file in a ConfigMap or a script in
// args, line by line as git does (rules/lists: lists without keys). It merges a list without keys in this way if only
// such strings in it changed. Each run of lines in conflict is a conflict, with the lines as its values, and the
// policy's side wins.
func decideLines(e *element, policy Policy) (decision, bool) {
	m := linesMerge{chosen: func() identity.Side { return policy.Side(e.path) }}
	v := e.versions()
	n, ok := m.strings(v[origin], v[upstream], v[local])
	if !ok || len(m.conflicts) > 0 {
		if d, done := decideText(e, policy); done {
			return d, true
		}
	}
	if !ok {
		m.conflicts = nil
		n, ok = m.list(e)
	}
	if !ok {
		return decision{}, false
	}
	d := e.made(n)
	for _, lines := range m.conflicts {
		c := d.conflict(BothChanged, e, m.chosen())
		c.Part = LinesPart
		for side, text := range lines.Versions {
			c.Values[side] = yamlnode.String(strings.TrimSuffix(text, "\n"))
		}
	}
	if len(m.conflicts) == 0 {
		d.remark(LinesMerged, e)
	}
	return d, true
}

// decideText merges a string that is YAML or JSON on all sides by its fields (rules/fields: YAML in a string).
func decideText(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if e.rules == nil || e.rules.Text == nil || !isString(v[origin]) || !isString(v[upstream]) || !isString(v[local]) {
		return decision{}, false
	}
	merged, conflicts, ok := e.rules.Text([3]string{v[origin].Value, v[upstream].Value, v[local].Value}, policy(e.path))
	if !ok {
		return decision{}, false
	}
	d := e.made(withText(v[local], merged))
	for _, within := range conflicts {
		c := d.conflict(within.Kind, e, within.Chosen)
		c.Values, c.Part, c.Within = within.Values, within.Part, within.Path
	}
	if len(conflicts) == 0 && d.verdict == takeMade { // else one side has all changes
		d.remark(LinesMerged, e)
	}
	return d, true
}

// linesMerge merges strings of several lines, and collects the lines in conflict; there it takes the lines of the chosen side.
type linesMerge struct {
	chosen    func() identity.Side
	conflicts []Stretch
}

// list merges lists of one length that differ only in strings of several lines.
func (m *linesMerge) list(e *element) (*yaml.Node, bool) {
	v := e.versions()
	if !areLists(v) {
		return nil, false
	}
	for _, n := range v {
		if n == nil || len(n.Content) != len(v[origin].Content) {
			return nil, false
		}
	}
	out := *v[local]
	out.Content = nil
	for i := range v[origin].Content {
		n, ok := m.element(e.typ.Element(), v[origin].Content[i], v[upstream].Content[i], v[local].Content[i])
		if !ok {
			return nil, false
		}
		out.Content = append(out.Content, n)
	}
	return &out, true
}

// element merges an element of such a list.
func (m *linesMerge) element(typ *schema.Type, o, u, l *yaml.Node) (*yaml.Node, bool) {
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
	return m.strings(o, u, l)
}

// strings merges three strings of several lines.
func (m *linesMerge) strings(o, u, l *yaml.Node) (*yaml.Node, bool) {
	if !isString(o) || !hasLines(u) || !hasLines(l) {
		return nil, false
	}
	texts := [3]string{o.Value, u.Value, l.Value}
	merged, conflicts := m.merged(texts)
	if !keepsSyntax(texts, merged) {
		return nil, false
	}
	m.conflicts = append(m.conflicts, conflicts...)
	template := l
	if l.Style&yaml.LiteralStyle == 0 && u.Style&yaml.LiteralStyle != 0 {
		template = u
	}
	return withText(template, merged), true
}

// merged returns the merged text, and the lines in conflict.
func (m *linesMerge) merged(texts [3]string) (merged string, conflicts []Stretch) {
	var b strings.Builder
	for _, s := range Lines(texts) {
		if s.Collides {
			conflicts = append(conflicts, s)
			s.Text = s.Versions[m.chosen()]
		}
		b.WriteString(s.Text)
	}
	return b.String(), conflicts
}

// hasLines reports whether a value is a string with a line break before its end.
func hasLines(n *yaml.Node) bool {
	return isString(n) && strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n")
}

// keepsSyntax reports whether a merged text is still JSON or YAML if all sides are (rules/fields: strings of several
// lines). YAML means documents that are maps or lists without duplicate keys.
func keepsSyntax(sides [3]string, merged string) bool {
	for _, valid := range [2]func(string) bool{isJSON, isYAML} {
		if !valid(merged) && valid(sides[origin]) && valid(sides[upstream]) && valid(sides[local]) {
			return false
		}
	}
	return true
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

func isYAML(text string) (valid bool) {
	defer func() {
		if recover() != nil {
			valid = false // the parser has bugs
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	for documents := 0; ; documents++ {
		var doc yaml.Node
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return documents > 0
		}
		if err != nil || doc.Content[0].Kind == yaml.ScalarNode && !yamlnode.IsNull(doc.Content[0]) {
			return false
		}
		if _, err := Expand(doc.Content[0]); err != nil {
			return false
		}
	}
}

// Stretch is a run of lines in a merged text, or of lines in conflict.
type Stretch struct {
	Text     string
	Collides bool
	// Versions are each side's lines, and Lines the numbers of the first ones, counted from 1, in a conflict.
	Versions [3]string
	Lines    [3]int
}

// Lines merges texts line by line as git does. It takes changes of both sides if an unchanged line is between them,
// and equal changes once; other changes collide. A line includes its line break, so a last line without one differs
// from the same line with one, and CR LF from LF.
func Lines(texts [3]string) (out []Stretch) {
	var lines [3][]string
	var ids [3][]int
	index := map[string]int{}
	for side, text := range texts {
		lines[side] = slices.Collect(strings.Lines(text))
		ids[side] = number(index, lines[side])
	}
	known, ended := map[string]bool{}, map[string]bool{} // a line of origin's that only ends otherwise is filler
	for _, line := range lines[origin] {
		known[line], ended[strings.TrimRight(line, "\r\n")] = true, true
	}
	filler := make([]bool, len(index))
	for line, id := range index {
		filler[id] = !hasWords(line) || !known[line] && ended[strings.TrimRight(line, "\r\n")]
	}
	pieces, _ := mergeSequences(ids, func(id int) bool { return filler[id] })
	for _, p := range pieces {
		version := func(side identity.Side) string { return strings.Join(lines[side][p.from[side]:p.to[side]], "") }
		switch {
		case p.collide:
			s := Stretch{Collides: true}
			for _, side := range identity.Sides() {
				s.Versions[side], s.Lines[side] = version(side), p.from[side]+1
			}
			out = append(out, s)
		case p.from[p.side] < p.to[p.side]:
			out = append(out, Stretch{Text: version(p.side)})
		}
	}
	return out
}

// mergeLines merges texts line by line, if nothing collides.
func mergeLines(texts [3]string) (merged string, ok bool) {
	merged, conflicts := (&linesMerge{chosen: func() identity.Side { return local }}).merged(texts)
	if len(conflicts) > 0 {
		return "", false
	}
	return merged, true
}

// number returns a number for each text, the same for equal texts. The index has the numbers given before.
func number(index map[string]int, texts []string) (ids []int) {
	for _, text := range texts {
		id, found := index[text]
		if !found {
			id = len(index)
			index[text] = id
		}
		ids = append(ids, id)
	}
	return ids
}

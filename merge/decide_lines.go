package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// decideLines decides a string of several lines that both sides changed, a file
// in a ConfigMap or a script in args, line by line as git does (design 3.1). So
// is each of several such strings in a list without keys, if nothing else in the
// list changed. What collides is a conflict of the whole value.
func decideLines(e *element, _ Policy) (decision, bool) {
	n, ok := mergedLines(e.value[origin], e.effective(upstream), e.effective(local))
	if !ok {
		n, ok = e.mergedTexts()
	}
	if !ok {
		return decision{}, false
	}
	d := e.made(n)
	d.remark(LinesMerged, e)
	return d, true
}

// mergedTexts merges lists of one length that differ in strings of several lines
// alone, element by element.
func (e *element) mergedTexts() (*yaml.Node, bool) {
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
		n, ok := e.mergedText(versions[origin].Content[i], versions[upstream].Content[i], versions[local].Content[i])
		if !ok {
			return nil, false
		}
		out.Content = append(out.Content, n)
	}
	return &out, true
}

// mergedText merges an element of such a list.
func (e *element) mergedText(o, u, l *yaml.Node) (*yaml.Node, bool) {
	typ := e.typ.Element()
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
	return mergedLines(o, u, l)
}

// mergedLines merges three strings of several lines. A string that the second
// merge would alter again is none: where lines repeat, nothing tells which of
// them was added.
func mergedLines(o, u, l *yaml.Node) (*yaml.Node, bool) {
	if !isString(o) || !hasLines(u) || !hasLines(l) {
		return nil, false
	}
	texts := [3]string{o.Value, u.Value, l.Value}
	merged, ok := mergeLines(texts)
	if !ok || !keepsSyntax(texts, merged) {
		return nil, false
	}
	again, ok := mergeLines([3]string{o.Value, u.Value, merged})
	if !ok || again != merged {
		return nil, false
	}
	written := l
	if l.Style&yaml.LiteralStyle == 0 && u.Style&yaml.LiteralStyle != 0 {
		written = u
	}
	return withText(written, merged), true
}

// hasLines reports whether a value is a string of several lines: one with a line
// break before its end.
func hasLines(n *yaml.Node) bool {
	return isString(n) && strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n")
}

package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// fill gives the comments within a field that is empty on a side, and full on another one, to its value, as the comment at the
// end of an empty map or list. In the text these lines stand above the next field or at the end of the map. They are the first ones below the
// field, up to the last one that a full side has within the field, as a comment or uncommented, and above those that it has below.
func (m emitter) fill(c *collection, at int, v [3]*yaml.Node) {
	var form *yaml.Node
	isEmpty := false
	for _, n := range v {
		switch {
		case isFull(n):
			form = n
		case n != nil && yamlnode.IsEmpty(n):
			isEmpty = true
		default:
			return
		}
	}
	if form == nil || !isEmpty {
		return
	}
	within, beyond := map[string]bool{}, map[string]bool{}
	var texts [3]*string // below the field on the sides where it is empty
	var slots [3]commentSlot
	// A commented-out element of origin's is one of the list, whatever its value was, unless a full side removed the next field.
	elements := form.Kind == yaml.SequenceNode
	for side, n := range v {
		slot, text := c.below(at, identity.Side(side))
		if !isFull(n) {
			texts[side], slots[side] = text, slot
			continue
		}
		if next := slots[origin]; !next.below && next.entry != atEnd && !c.entries[next.entry].in[side] {
			elements = false
		}
		addWithin(within, n)
		for line := range strings.SplitSeq(*text, "\n") {
			beyond[line] = true
		}
	}
	inner := func(lines []string, commented, elements bool) (n int) {
		for i, line := range lines {
			if hasWords(line) && !within[line] && beyond[line] {
				break
			}
			name, _, _ := strings.Cut(strings.TrimLeft(line, "# -"), ":")
			isElement := elements && strings.HasPrefix(strings.TrimLeft(line, "# "), "- ")
			isBelow := commented && n > 0 && n == i && indentOf(line) > indentOf(lines[i-1])
			if hasWords(line) && (within[line] || commented && within[name] || isElement || isBelow) {
				n = i + 1
			}
		}
		return n
	}
	var originLines []string
	if texts[origin] != nil && *texts[origin] != "" {
		originLines = strings.Split(*texts[origin], "\n")
	}
	for side, text := range texts {
		if text == nil {
			continue
		}
		lines := strings.Split(*text, "\n")
		n := inner(lines, side == int(origin) || originLines == nil, side == int(origin) && elements)
		if side != int(origin) && originLines != nil {
			n = max(n, sameCut(originLines, lines, inner(originLines, true, elements)))
		}
		empty := *v[side]
		empty.Kind, empty.Tag, empty.Value, empty.FootComment = form.Kind, form.Tag, "", strings.Trim(strings.Join(lines[:n], "\n"), "\n")
		m.filled[v[side]] = &empty
		*text = strings.Trim(strings.Join(lines[n:], "\n"), "\n")
		c.cut = append(c.cut, slots[side])
	}
}

// below returns the comment below an entry of a side, which has nothing between itself and the next one.
func (c *collection) below(at int, side identity.Side) (commentSlot, *string) {
	if foot := &c.entries[at].foot[side]; *foot != "" {
		return commentSlot{at, true}, foot
	}
	if i := slices.Index(c.order[side], at) + 1; i < len(c.order[side]) {
		next := c.order[side][i]
		return commentSlot{entry: next}, &c.entries[next].head[side]
	}
	return commentSlot{entry: atEnd}, &c.end[side]
}

// addWithin adds the lines of the comments within a map or list, and its keys and elements, which a side may have
// commented out.
func addWithin(within map[string]bool, n *yaml.Node) {
	for line := range strings.SplitSeq(n.FootComment, "\n") {
		within[line] = true
	}
	for i, of := range n.Content {
		for line := range strings.SplitSeq(of.HeadComment+"\n"+of.FootComment, "\n") {
			within[line] = true
		}
		if of.Kind == yaml.ScalarNode && (n.Kind == yaml.SequenceNode || i%2 == 0) {
			within[of.Value] = true
		}
		addWithin(within, of)
	}
}

// sameCut returns the number of the first lines of b that stand for the first n ones of a.
func sameCut(a, b []string, n int) int {
	cut, least := len(b), 0
	numbers := lineNumbers{}
	for i, j := range align.Pairs(numbers.nested(a), numbers.nested(b)) {
		switch {
		case j < 0 && i < n:
			least++
		case j < 0:
		case i < n:
			least = j + 1
		default:
			return min(j, least)
		}
	}
	return min(cut, least)
}

// full returns the versions of a field, where empty ones that a side filled are empty maps or lists with the comments within.
func (m emitter) full(v [3]*yaml.Node) [3]*yaml.Node {
	for side, n := range v {
		if filled, found := m.filled[n]; found {
			v[side] = filled
		}
	}
	return v
}

// isFull reports whether a value is a map or list with entries, in block style.
func isFull(n *yaml.Node) bool { return n != nil && yamlnode.IsBlock(n) }

// isFull reports whether the result of an element is a map or list with entries, in block style.
func (d decision) isFull(e *element) bool {
	switch d.verdict {
	case TakeLocal:
		return isFull(e.effective(local))
	case TakeUpstream:
		return isFull(e.effective(upstream))
	}
	return d.verdict == MergeParts && len(d.order) > 0
}

package marker

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// mergeUnits merges a colliding value unit by unit, as git merges lines. The units of a list are
// its elements, a block scalar's are its lines; other values have no units and are not ok.
func (t texts) mergeUnits(s entryVersions, from [3]int, migrated bool) (out Pieces, ok bool) {
	var units [3][][]byte
	separator := t.separator(s[Ours])
	for _, side := range [2]Side{Ours, Theirs} {
		if units[side] = t.unitsOf(side, s, separator); units[side] == nil {
			return nil, false
		}
	}
	key := t[Ours][s[Ours].Line:unitsStart(s[Ours])]
	if !bytes.Equal(key, t[Theirs][s[Theirs].Line:unitsStart(s[Theirs])]) || s[Ours].Literal != s[Theirs].Literal {
		return nil, false
	}
	if s[Base] != nil && s[Base].Literal == s[Ours].Literal {
		units[Base] = t.unitsOf(Base, s, separator)
	}
	elements, ok := markUnits(units, !s[Ours].Literal, migrated).trimSeparator(separator)
	out = t.commentsAbove(s, from)
	out.addSame(key)
	out.addAll(elements)
	return out, ok
}

// separator returns the line between two elements of a list whose brackets share lines with its
// elements, as in KYAML; nil for any other value. The list's closing line has its bracket.
func (t texts) separator(s *manifest.Spot) []byte {
	if len(s.Children) == 0 || !s.Children[0].Inline {
		return nil
	}
	line := terminate(t[Ours][s.Children[len(s.Children)-1].End:s.End])
	bracket := bytes.TrimLeft(line, " ")
	margin, end := line[:len(line)-len(bracket):len(line)-len(bracket)], stream.LineEnd(bracket)
	switch {
	case bytes.HasPrefix(bracket, []byte("}")):
		return append(margin, "}, {"+end...)
	case bytes.HasPrefix(bracket, []byte("]")):
		return append(margin, "], ["+end...)
	}
	return nil
}

// trimSeparator removes the separator before the first element of a merged list. It is not ok if
// both sides cannot do without it.
func (p Pieces) trimSeparator(separator []byte) (out Pieces, ok bool) {
	if len(separator) == 0 || len(p) == 0 {
		return p, true
	}
	if !p[0].Conflict {
		out.addSame(bytes.TrimPrefix(p[0].Same, separator))
		out.addAll(p[1:])
		return out, bytes.HasPrefix(p[0].Same, separator)
	}
	sides, rest := p[0].Sides, p[1:]
	ok = len(sides[Ours]) > 0 && len(sides[Theirs]) > 0
	if !ok && len(rest) > 0 && bytes.HasPrefix(rest[0].Same, separator) { // the line goes behind the elements of a side
		for side := range sides {
			if len(sides[side]) > 0 {
				sides[side] = slices.Concat(sides[side], separator)
			}
		}
		rest, ok = slices.Clone(rest), true
		rest[0].Same = rest[0].Same[len(separator):]
	}
	for side := range sides {
		sides[side] = bytes.TrimPrefix(sides[side], separator)
	}
	out.addConflict(sides[Ours], sides[Base], sides[Theirs])
	out.addAll(rest)
	return out, ok
}

// unitsStart returns the offset of a value's first unit.
func unitsStart(s *manifest.Spot) int {
	if s.Literal {
		return s.Body
	}
	return s.Children[0].Start
}

// unitsOf returns the units of a value, nil if it has none. If the list has a separator, every
// element begins with it, including the first.
func (t texts) unitsOf(side Side, s entryVersions, separator []byte) (units [][]byte) {
	entry := s[side]
	switch {
	case entry.Literal:
		return bytes.SplitAfter(bytes.TrimSuffix(t.lines(side, s, entry.Body, entry.End), []byte("\n")), []byte("\n"))
	case entry.Value.Kind == yaml.SequenceNode:
		for i, part := range entry.Children {
			unit := t.lines(side, s, part.Start, part.End)
			if i == 0 {
				unit = slices.Concat(separator, unit)
			}
			if part.Inline != (separator != nil) || !bytes.HasPrefix(unit, separator) {
				return nil
			}
			units = append(units, unit)
		}
	}
	return units
}

// markUnits merges units, and marks everything between the common first and last units
//   - if there is no base, or it has another apiVersion;
//   - if no changes are adjacent, since the merge combines such changes wherever it can;
//   - if an element occurs twice in the result, but on no side.
func markUnits(units [3][][]byte, elements, migrated bool) (out Pieces) {
	if units[Base] != nil && !migrated {
		if out, ok := mergeColliding(units, elements); ok {
			return out
		}
	}
	ours, theirs := units[Ours], units[Theirs]
	head, tail := commonUnits(ours, theirs)
	out.addSame(joinUnits(ours, 0, len(ours)-head))
	from, to := commonUnits(units[Base], ours)
	out.addConflict(joinUnits(ours, head, tail), joinUnits(units[Base], min(head, from), min(tail, to)), joinUnits(theirs, head, tail))
	out.addSame(joinUnits(ours, len(ours)-tail, 0))
	return out
}

// mergeColliding merges units as lines. It is ok if some collide, and if no element occurs twice in
// the result but on no side.
func mergeColliding(units [3][][]byte, elements bool) (out Pieces, ok bool) {
	n := numbering{index: map[string]int{}, isText: !elements}
	texts := [3]string{identity.Origin: n.lines(units[Base]), identity.Upstream: n.lines(units[Theirs]), identity.Local: n.lines(units[Ours])}
	var resolved [3]string
	for _, s := range merge.Lines(texts) {
		if !s.Collides {
			out.addSame(n.text(s.Text))
			for side := range resolved {
				resolved[side] += s.Text
			}
			continue
		}
		ok = true
		resolved[identity.Local] += s.Versions[identity.Local]
		resolved[identity.Upstream] += s.Versions[identity.Upstream]
		out.addAll(n.collision(s.Versions, elements))
	}
	if elements && ok {
		may := n.repeated(texts[:]...)
		for element := range n.repeated(resolved[:]...) {
			ok = ok && may[element]
		}
	}
	return out, ok
}

// collision returns the pieces of units that collide, given as the lines of each side; elements of a list are merged
// one by one where they can be.
func (n *numbering) collision(lines [3]string, elements bool) (out Pieces) {
	origin, ours, theirs := lines[identity.Origin], lines[identity.Local], lines[identity.Upstream]
	if elements {
		if pieces, ok := mergeOneByOne([3][][]byte{Ours: n.split(ours), Base: n.split(origin), Theirs: n.split(theirs)}); ok {
			return pieces
		}
	}
	head := commonHead([]byte(ours), []byte(theirs))
	tail := commonTail(ours[head:], theirs[head:])
	out.addSame(n.text(ours[:head]))
	out.addConflict(n.text(ours[head:len(ours)-tail]), n.text(origin), n.text(theirs[head:len(theirs)-tail]))
	out.addSame(n.text(ours[len(ours)-tail:]))
	return out
}

// repeated returns the elements that occur more than once in one of the texts, which are lines of numbers. Elements with other
// comments are equal.
func (n *numbering) repeated(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		seen := map[string]bool{}
		for _, unit := range n.split(text) {
			var element strings.Builder
			for _, line := range valueLines(unit) {
				value, _, _ := strings.Cut(line, " #")
				element.WriteString(strings.TrimSpace(value) + "\n")
			}
			if seen[element.String()] {
				out[element.String()] = true
			}
			seen[element.String()] = true
		}
	}
	return out
}

// joinUnits returns the text of units without some at the head and tail.
func joinUnits(units [][]byte, head, tail int) (text []byte) {
	for _, unit := range units[head : len(units)-tail] {
		text = append(text, terminate(unit)...)
	}
	return text
}

// numbering assigns a number to each distinct unit, so that units can be merged as lines. The lines of a text stand for
// themselves.
type numbering struct {
	index  map[string]int
	texts  []string
	isText bool
}

// lines returns the numbers of units, one on each line.
func (n *numbering) lines(units [][]byte) string {
	var b strings.Builder
	for _, unit := range units {
		text := string(terminate(unit))
		if n.isText {
			b.WriteString(text)
			continue
		}
		number, found := n.index[text]
		if !found {
			number = len(n.texts)
			n.index[text] = number
			n.texts = append(n.texts, text)
		}
		b.WriteString(strconv.Itoa(number) + "\n")
	}
	return b.String()
}

// text returns the text of the units whose numbers are in lines.
func (n *numbering) text(lines string) []byte { return bytes.Join(n.split(lines), nil) }

// split returns the units whose numbers are in lines.
func (n *numbering) split(lines string) (out [][]byte) {
	for number := range strings.Lines(lines) {
		if n.isText {
			out = append(out, []byte(number))
		} else if i, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			out = append(out, []byte(n.texts[i]))
		}
	}
	return out
}

// commonUnits returns how many units two lists have in common at the head and tail.
func commonUnits(a, b [][]byte) (head, tail int) {
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return head, tail
}

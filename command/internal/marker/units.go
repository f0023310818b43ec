package marker

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/merge"
)

// units merges a value that collides unit by unit, as git merges lines, and reports
// whether it is of units: a list is of elements, a block scalar of lines. A unit is
// never cut in two.
func (t texts) units(s spots, from [3]int, migrated bool) (out Pieces, ok bool) {
	var units [3][][]byte
	separator := t.separator(s[Ours])
	for _, side := range [2]Side{Ours, Theirs} {
		if units[side] = t.unitsOf(side, s, separator); units[side] == nil {
			return nil, false
		}
	}
	head := t[Ours][from[Ours]:unitsStart(s[Ours])]
	if !bytes.Equal(head, t[Theirs][from[Theirs]:unitsStart(s[Theirs])]) || s[Ours].Literal != s[Theirs].Literal {
		return nil, false
	}
	if s[Base] != nil && s[Base].Literal == s[Ours].Literal {
		units[Base] = t.unitsOf(Base, s, separator)
	}
	elements, ok := merged(units, !s[Ours].Literal, migrated).without(separator)
	out.same(head)
	out.append(elements)
	return out, ok
}

// separator returns the line between two elements of a list whose brackets stand in their
// lines, as in KYAML; nil for any other value. The closing line of the list has its bracket.
func (t texts) separator(s *manifest.Spot) []byte {
	if len(s.Kids) == 0 || !s.Kids[0].Inline {
		return nil
	}
	line := whole(t[Ours][s.Kids[len(s.Kids)-1].End:s.End])
	bracket := bytes.TrimLeft(line, " ")
	margin, end := line[:len(line)-len(bracket):len(line)-len(bracket)], "\n"
	if n := bytes.IndexByte(bracket, '\n'); n > 0 && bracket[n-1] == '\r' {
		end = "\r\n"
	}
	switch {
	case bytes.HasPrefix(bracket, []byte("}")):
		return append(margin, "}, {"+end...)
	case bytes.HasPrefix(bracket, []byte("]")):
		return append(margin, "], ["+end...)
	}
	return nil
}

// without returns the merged elements of a list without the line before the first of them. It
// is not ok if that cannot be taken from both sides.
func (p Pieces) without(separator []byte) (out Pieces, ok bool) {
	if len(separator) == 0 || len(p) == 0 {
		return p, true
	}
	if !p[0].Conflict {
		out.same(bytes.TrimPrefix(p[0].Same, separator))
		out.append(p[1:])
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
	out.conflict(sides[Ours], sides[Base], sides[Theirs])
	out.append(rest)
	return out, ok
}

// unitsStart is where the units of a value begin.
func unitsStart(s *manifest.Spot) int {
	if s.Literal {
		return s.Body
	}
	return s.Kids[0].Start
}

// unitsOf returns the units of a value, nil if it has none. Each element of a list whose
// brackets stand in the lines of its elements begins with the line between two, also the first.
func (t texts) unitsOf(side Side, s spots, separator []byte) (units [][]byte) {
	spot := s[side]
	switch {
	case spot.Literal:
		return bytes.SplitAfter(bytes.TrimSuffix(t.lines(side, s, spot.Body, spot.End), []byte("\n")), []byte("\n"))
	case spot.Value.Kind == yaml.SequenceNode:
		for i, kid := range spot.Kids {
			unit := t.lines(side, s, kid.Start, kid.End)
			if i == 0 {
				unit = slices.Concat(separator, unit)
			}
			if kid.Inline != (separator != nil) || !bytes.HasPrefix(unit, separator) {
				return nil
			}
			units = append(units, unit)
		}
	}
	return units
}

// merged merges units, and marks all between the units that both sides begin and end with
//
//   - without a base, or where that is of another apiVersion;
//   - where no changes touch, because the merge took both if it could;
//   - where an element comes out twice that no side has twice.
func merged(units [3][][]byte, elements, migrated bool) (out Pieces) {
	if units[Base] != nil && !migrated {
		if out, ok := mergedUnits(units, elements); ok {
			return out
		}
	}
	ours, theirs := units[Ours], units[Theirs]
	head, tail := shared(ours, theirs)
	out.same(between(ours, 0, len(ours)-head))
	from, to := shared(units[Base], ours)
	out.conflict(between(ours, head, tail), between(units[Base], min(head, from), min(tail, to)), between(theirs, head, tail))
	out.same(between(ours, len(ours)-tail, 0))
	return out
}

// mergedUnits merges units as lines. It is ok if any touch, and if no element comes out twice that
// no side has twice.
func mergedUnits(units [3][][]byte, elements bool) (out Pieces, ok bool) {
	n := numbering{index: map[string]int{}}
	texts := [3]string{identity.Origin: n.lines(units[Base]), identity.Upstream: n.lines(units[Theirs]), identity.Local: n.lines(units[Ours])}
	var resolved [3]string
	for _, s := range merge.Lines(texts) {
		if !s.Collides {
			out.same(n.units(s.Text))
			for side := range resolved {
				resolved[side] += s.Text
			}
			continue
		}
		ok = true
		ours, theirs := s.Versions[identity.Local], s.Versions[identity.Upstream]
		resolved[identity.Local] += ours
		resolved[identity.Upstream] += theirs
		if elements {
			versions := [3][][]byte{Ours: n.each(ours), Base: n.each(s.Versions[identity.Origin]), Theirs: n.each(theirs)}
			if pieces, ok := oneByOne(versions); ok {
				out.append(pieces)
				continue
			}
		}
		head := common([]byte(ours), []byte(theirs))
		tail := commonTail(ours[head:], theirs[head:])
		out.same(n.units(ours[:head]))
		out.conflict(n.units(ours[head:len(ours)-tail]), n.units(s.Versions[identity.Origin]), n.units(theirs[head:len(theirs)-tail]))
		out.same(n.units(ours[len(ours)-tail:]))
	}
	if elements && ok {
		may := repeatedLines(texts[:]...)
		for line := range repeatedLines(resolved[:]...) {
			ok = ok && may[line]
		}
	}
	return out, ok
}

// repeatedLines are the lines that one of some texts has more than once.
func repeatedLines(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		seen := map[string]bool{}
		for line := range strings.Lines(text) {
			if seen[line] {
				out[line] = true
			}
			seen[line] = true
		}
	}
	return out
}

// between is the text of units, but for some at their head and tail.
func between(units [][]byte, head, tail int) (text []byte) {
	for _, unit := range units[head : len(units)-tail] {
		text = append(text, whole(unit)...)
	}
	return text
}

// numbering has a number for each unit, so that units can be merged as lines.
type numbering struct {
	index map[string]int
	texts []string
}

// lines are the numbers of units, one a line.
func (n *numbering) lines(units [][]byte) string {
	var b strings.Builder
	for _, unit := range units {
		text := string(whole(unit))
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

// units are the units of which lines have the numbers.
func (n *numbering) units(lines string) []byte { return bytes.Join(n.each(lines), nil) }

// each are the units of which lines have the numbers, one by one.
func (n *numbering) each(lines string) (out [][]byte) {
	for number := range strings.Lines(lines) {
		if i, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			out = append(out, []byte(n.texts[i]))
		}
	}
	return out
}

// shared is how many units two lists both begin and end with.
func shared(a, b [][]byte) (head, tail int) {
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return head, tail
}

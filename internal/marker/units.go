package marker

import (
	"bytes"
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
func (t texts) units(s spots, from [3]int) (out Pieces, ok bool) {
	var units [3][][]byte
	for _, side := range [2]Side{Ours, Theirs} {
		if units[side] = t.unitsOf(side, s); units[side] == nil {
			return nil, false
		}
	}
	head := t[Ours][from[Ours]:unitsStart(s[Ours])]
	if !bytes.Equal(head, t[Theirs][from[Theirs]:unitsStart(s[Theirs])]) || s[Ours].Literal != s[Theirs].Literal {
		return nil, false
	}
	if s[Base] != nil && s[Base].Literal == s[Ours].Literal {
		units[Base] = t.unitsOf(Base, s)
	}
	out.same(head)
	out.append(merged(units, !s[Ours].Literal))
	return out, true
}

// unitsStart is where the units of a value begin.
func unitsStart(s *manifest.Spot) int {
	if s.Literal {
		return s.Body
	}
	return s.Kids[0].Start
}

// unitsOf are the units of a value, nil if it has none.
func (t texts) unitsOf(side Side, s spots) (units [][]byte) {
	spot := s[side]
	switch {
	case spot.Literal:
		return bytes.SplitAfter(bytes.TrimSuffix(t.lines(side, s, spot.Body, spot.End), []byte("\n")), []byte("\n"))
	case spot.Value.Kind == yaml.SequenceNode:
		for _, kid := range spot.Kids {
			if kid.Inline {
				return nil
			}
			units = append(units, t.lines(side, s, kid.Start, kid.End))
		}
	}
	return units
}

// merged merges units. Without a base, what both begin or end with is no conflict.
func merged(units [3][][]byte, elements bool) (out Pieces) {
	if units[Base] == nil {
		units[Base] = shared(units[Ours], units[Theirs])
	}
	n := numbering{index: map[string]int{}}
	stretches := merge.Lines([3]string{
		identity.Origin: n.lines(units[Base]), identity.Upstream: n.lines(units[Theirs]), identity.Local: n.lines(units[Ours]),
	})
	for _, s := range stretches {
		if !s.Collides {
			out.same(n.units(s.Text))
			continue
		}
		ours, theirs := s.Versions[identity.Local], s.Versions[identity.Upstream]
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
	return out
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

// shared are the units that two lists both begin and end with.
func shared(a, b [][]byte) (out [][]byte) {
	head := 0
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return append(append(out, a[:head]...), a[len(a)-tail:]...)
}

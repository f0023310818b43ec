package marker

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Side is one of the three texts of a conflict.
type Side int

const (
	// Ours is the text of the branch that is merged into.
	Ours Side = iota
	// Base is the text of the common ancestor.
	Base
	// Theirs is the text of the branch that is merged.
	Theirs
)

// Piece is a run of whole lines of a text: common to both sides, or a conflict.
type Piece struct {
	// Same has the lines, unless the piece is a conflict.
	Same     []byte
	Conflict bool
	// Sides has each side's lines of a conflict.
	Sides [3][]byte

	copied bool // Same is a copy, to which lines can be appended, not a part of a text
}

// Pieces are a whole text. Adjacent conflicts are joined into one.
type Pieces []Piece

// Conflict reports whether there is a conflict.
func (p Pieces) Conflict() bool {
	return slices.ContainsFunc(p, func(piece Piece) bool { return piece.Conflict })
}

// Conflicts counts the conflicts, and the lines of ours and theirs in them.
func (p Pieces) Conflicts() (conflicts, lines int) {
	for _, piece := range p {
		if piece.Conflict {
			conflicts++
			lines += countLines(piece.Sides[Ours]) + countLines(piece.Sides[Theirs])
		}
	}
	return conflicts, lines
}

// Resolve returns the text with the chosen side of each conflict; n counts the conflicts from 0.
func (p Pieces) Resolve(choose func(n int) Side) []byte {
	var out []byte
	n := 0
	for _, piece := range p {
		if !piece.Conflict {
			out = append(out, piece.Same...)
			continue
		}
		out = append(out, piece.Sides[choose(n)]...)
		n++
	}
	return out
}

// addSame adds lines that both sides have.
func (p *Pieces) addSame(text []byte) {
	if len(text) == 0 {
		return
	}
	if last := len(*p) - 1; last >= 0 && !(*p)[last].Conflict {
		(*p)[last].extend(text)
		return
	}
	*p = append(*p, Piece{Same: text})
}

// extend adds lines to a common piece: without a copy, if they follow the piece in one text.
func (p *Piece) extend(text []byte) {
	n := len(p.Same)
	switch {
	case p.copied:
		p.Same = append(p.Same, text...)
	case cap(p.Same) >= n+len(text) && &p.Same[:n+1][n] == &text[0]:
		p.Same = p.Same[:n+len(text)]
	default:
		p.Same, p.copied = append(slices.Clip(p.Same), text...), true
	}
}

// addConflict adds the lines of the sides. Equal lines are no conflict, nor are equal blank lines at the start.
func (p *Pieces) addConflict(ours, base, theirs []byte) {
	if string(ours) == string(theirs) {
		p.addSame(ours)
		return
	}
	for blank := blankLine(ours); blank > 0 && bytes.HasPrefix(theirs, ours[:blank]); blank = blankLine(ours) {
		p.addSame(ours[:blank])
		base = bytes.TrimPrefix(base, ours[:blank])
		ours, theirs = ours[blank:], theirs[blank:]
	}
	add := [3][]byte{ours, base, theirs}
	if last := len(*p) - 1; last >= 0 && (*p)[last].Conflict {
		for side := range add {
			(*p)[last].Sides[side] = append((*p)[last].Sides[side], add[side]...)
		}
		return
	}
	for side := range add {
		add[side] = slices.Clip(add[side]) // what is added later goes into a copy
	}
	*p = append(*p, Piece{Conflict: true, Sides: add})
}

// extendBase adds lines to the base of a conflict at the end, and reports whether there is one.
func (p Pieces) extendBase(base []byte) bool {
	last := len(p) - 1
	if last < 0 || !p[last].Conflict {
		return false
	}
	p[last].Sides[Base] = append(p[last].Sides[Base], base...)
	return true
}

func (p *Pieces) addAll(more Pieces) {
	for _, piece := range more {
		if piece.Conflict {
			p.addConflict(piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs])
		} else {
			p.addSame(piece.Same)
		}
	}
}

// WithConflict returns the pieces with the versions of a line in conflict: the n-th of ours, from 1, which is common to both
// sides. It is not ok if the line is in a conflict.
func (p Pieces) WithConflict(n int, versions [3][]byte) (out Pieces, ok bool) {
	for _, piece := range p {
		if piece.Conflict {
			out.addConflict(piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs])
			n -= countLines(piece.Sides[Ours])
			continue
		}
		for line := range bytes.Lines(piece.Same) {
			if n--; n == 0 {
				out.addConflict(versions[Ours], versions[Base], versions[Theirs])
				ok = true
			} else {
				out.addSame(line)
			}
		}
	}
	return out, ok
}

// Trimmed returns the pieces without the lines with which ours and theirs both begin or end in a
// conflict. Each side keeps its text.
func (p Pieces) Trimmed() Pieces { return p.trimIf(func(Piece) bool { return true }) }

// trimIf trims the conflicts for which a predicate holds.
func (p Pieces) trimIf(which func(Piece) bool) (out Pieces) {
	for _, piece := range p {
		switch {
		case !piece.Conflict:
			out.addSame(piece.Same)
			continue
		case !which(piece):
			out.addConflict(piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs])
			continue
		}
		ours, base, theirs := piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs]
		head := commonHead(ours, theirs)
		out.addSame(ours[:head])
		base = base[commonHead(base, ours[:head]):]
		ours, theirs = ours[head:], theirs[head:]
		tail := commonTail(string(ours), string(theirs))
		end := ours[len(ours)-tail:]
		base = base[:len(base)-commonTail(string(base), string(end))]
		out.addConflict(ours[:len(ours)-tail], base, theirs[:len(theirs)-tail])
		out.addSame(end)
	}
	return out
}

// blankLine returns the length of a text's first line if that is blank, else 0.
func blankLine(text []byte) int {
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 || len(bytes.TrimSpace(text[:end])) > 0 {
		return 0
	}
	return end
}

func countLines(text []byte) int { return bytes.Count(text, []byte("\n")) }

// Mixtures returns the choices of sides with which a text with conflicts is checked.
func Mixtures() [4]func(int) Side {
	return [4]func(int) Side{
		func(int) Side { return Ours },
		func(int) Side { return Theirs },
		func(n int) Side { return Side(n % 2 * int(Theirs)) },
		func(n int) Side { return Side((n + 1) % 2 * int(Theirs)) },
	}
}

// hasDuplicateKeys reports whether a mapping in a tree has a key more than once.
func hasDuplicateKeys(n *yaml.Node) bool {
	seen := map[string]bool{}
	for key := range yamlnode.Pairs(n) {
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if seen[key.Value] {
			return true
		}
		seen[key.Value] = true
	}
	return slices.ContainsFunc(n.Content, hasDuplicateKeys)
}

// isFaithful reports whether the lists in a value that was merged line by line have each scalar as
// often as the changes of the sides require (rules/fields: strings of several lines). A scalar that
// both sides added in two places is there too often. If no line collides, so is one that one side
// moved and the other removed. Elements of lists correspond by index.
func isFaithful(versions [3]*yaml.Node, merged *yaml.Node, clean bool) bool {
	for _, n := range versions {
		if n == nil || n.Kind != merged.Kind {
			return true
		}
	}
	switch merged.Kind {
	case yaml.MappingNode:
		var fields [3]func(string) *yaml.Node
		for side, n := range versions {
			fields[side] = yamlnode.Fields(n)
		}
		for key, value := range yamlnode.Pairs(merged) {
			if !isFaithful([3]*yaml.Node{fields[Ours](key.Value), fields[Base](key.Value), fields[Theirs](key.Value)}, value, clean) {
				return false
			}
		}
	case yaml.SequenceNode:
		return hasScalars(versions, merged, clean) && hasFaithfulElements(versions, merged, clean)
	}
	return true
}

// hasFaithfulElements reports whether the elements of a merged list are faithful, if all versions have as many.
func hasFaithfulElements(versions [3]*yaml.Node, merged *yaml.Node, clean bool) bool {
	for i, e := range merged.Content {
		var at [3]*yaml.Node
		for side, n := range versions {
			if len(n.Content) != len(merged.Content) {
				return true
			}
			at[side] = n.Content[i]
		}
		if !isFaithful(at, e, clean) {
			return false
		}
	}
	return true
}

// hasScalars reports whether a merged list has each scalar as often as the changes of the sides require.
func hasScalars(versions [3]*yaml.Node, merged *yaml.Node, clean bool) bool {
	const last = len(versions)
	counts := map[string]*[last + 1]int{}
	for at, list := range [last + 1]*yaml.Node{versions[Ours], versions[Base], versions[Theirs], merged} {
		for _, e := range list.Content {
			text := e.ShortTag() + " " + e.Value
			if e.Kind != yaml.ScalarNode || strings.Contains(e.Value, "\n") {
				continue
			}
			if counts[text] == nil {
				counts[text] = &[last + 1]int{}
			}
			counts[text][at]++
		}
	}
	for _, n := range counts {
		most := max(n[Ours], n[Base], n[Theirs])
		switch {
		case n[last] > 1 && n[last] > most && (most == 1 || n[Base] == 0):
			return false
		case clean && n[Base] == n[Ours] && n[last] != n[Theirs], clean && n[Base] == n[Theirs] && n[last] != n[Ours]:
			return false
		}
	}
	return true
}

// Lines compares the two results of a merge of one text, one with our version of each collision and
// one with theirs. The conflicts have no base.
func Lines(ours, theirs []byte) (out Pieces) {
	a := slices.Collect(strings.Lines(string(terminate(ours))))
	b := slices.Collect(strings.Lines(string(terminate(theirs))))
	next := 0
	var added []string
	flush := func(to int) {
		out.addConflict([]byte(strings.Join(added, "")), nil, []byte(strings.Join(b[next:to], "")))
		added, next = nil, to
	}
	for i, at := range align.Lines(a, b) {
		if at < 0 {
			added = append(added, a[i])
			continue
		}
		flush(at)
		out.addSame([]byte(a[i]))
		next = at + 1
	}
	flush(len(b))
	return out
}

// maxGap is the largest number of lines between two conflicts that git joins.
const maxGap = 3

// Split divides conflicts at runs of more than maxGap lines that ours and theirs have in common.
// Each side keeps its text, and the base is divided where it has these lines.
func (p Pieces) Split() (out Pieces) {
	for _, piece := range p {
		if !piece.Conflict {
			out.addSame(piece.Same)
			continue
		}
		pieces := Lines(piece.Sides[Ours], piece.Sides[Theirs])
		var parts Pieces
		for i, part := range pieces {
			inside := i > 0 && i+1 < len(pieces)
			if !part.Conflict && inside && countLines(part.Same) <= maxGap {
				parts.extendLast(part.Same)
				continue
			}
			parts.addAll(Pieces{part})
		}
		parts.divideBase(piece.Sides[Base])
		out.addAll(parts)
	}
	return out
}

// divideBase gives each conflict the base's lines between the common lines around the conflict.
func (p Pieces) divideBase(base []byte) {
	lines := slices.Collect(strings.Lines(string(base)))
	var same []string
	var begin []int // of the lines of each piece in same
	for _, piece := range p {
		begin = append(begin, len(same))
		same = append(same, slices.Collect(strings.Lines(string(piece.Same)))...)
	}
	match := align.Lines(same, lines)
	next := 0 // the first line of the base that is not given yet
	for i := range p {
		if !p[i].Conflict {
			for at := begin[i]; at < len(same) && (i+1 == len(p) || at < begin[i+1]); at++ {
				next = max(next, match[at]+1)
			}
			continue
		}
		to := len(lines)
		if common := slices.IndexFunc(match[begin[i]:], func(at int) bool { return at >= 0 }); common >= 0 {
			to = match[begin[i]+common]
		}
		p[i].Sides[Base] = []byte(strings.Join(lines[next:to], ""))
		next = to
	}
}

// extendLast adds common lines to both sides of the last conflict.
func (p *Pieces) extendLast(text []byte) {
	last := &(*p)[len(*p)-1]
	for _, side := range [2]Side{Ours, Theirs} {
		last.Sides[side] = append(last.Sides[side], text...)
	}
}

package marker

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// Lines lays two results of the merge of one text side by side: that where ours was
// taken of what collides, and that where theirs was. They differ in what collides and
// nowhere else. Base is not shown.
func Lines(ours, theirs []byte) (out Pieces) {
	a := slices.Collect(strings.Lines(string(whole(ours))))
	b := slices.Collect(strings.Lines(string(whole(theirs))))
	next := 0
	var own []string
	flush := func(to int) {
		out.conflict([]byte(strings.Join(own, "")), nil, []byte(strings.Join(b[next:to], "")))
		own, next = nil, to
	}
	for i, at := range align.Lines(a, b) {
		if at < 0 {
			own = append(own, a[i])
			continue
		}
		flush(at)
		out.same([]byte(a[i]))
		next = at + 1
	}
	flush(len(b))
	return out
}

// unmarked is how many lines between two conflicts git takes into one with them.
const unmarked = 3

// Split are the pieces with more and smaller conflicts: lines that ours and theirs both
// have in the midst of one stand outside of it, if they are more than three. To take
// one side of every conflict gives the same text as before. The base is divided where it
// has these lines.
func (p Pieces) Split() (out Pieces) {
	for _, piece := range p {
		if !piece.Conflict {
			out.same(piece.Same)
			continue
		}
		pieces := Lines(piece.Sides[Ours], piece.Sides[Theirs])
		var parts Pieces
		for i, part := range pieces {
			inside := i > 0 && i+1 < len(pieces)
			if !part.Conflict && inside && countLines(part.Same) <= unmarked {
				parts.joined(part.Same)
				continue
			}
			parts.append(Pieces{part})
		}
		parts.divide(piece.Sides[Base])
		out.append(parts)
	}
	return out
}

// divide gives each conflict the lines of the base that stand between those that the base
// has outside of the conflicts.
func (p Pieces) divide(base []byte) {
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
		for at := begin[i]; at < len(same); at++ {
			if match[at] >= 0 {
				to = match[at]
				break
			}
		}
		p[i].Sides[Base] = []byte(strings.Join(lines[next:to], ""))
		next = to
	}
}

// joined adds lines that both sides have to the conflict before.
func (p *Pieces) joined(text []byte) {
	last := &(*p)[len(*p)-1]
	for _, side := range [2]Side{Ours, Theirs} {
		last.Sides[side] = append(last.Sides[side], text...)
	}
}

package marker

import (
	"bytes"
	"slices"
)

// Side is one of the three texts of a marker.
type Side int

const (
	// Ours is the text of the branch that is merged into.
	Ours Side = iota
	// Base is that of the common ancestor.
	Base
	// Theirs is that of the branch that is merged.
	Theirs
)

// Piece is a stretch of a text: whole lines.
type Piece struct {
	// Same is what the text has there, unless there is a conflict.
	Same     []byte
	Conflict bool
	// Sides are what each side has there, where there is a conflict.
	Sides [3][]byte
}

// Pieces are a text, from its first line to its last. Conflicts that touch are
// one.
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

// Resolve is the text that has, of each conflict, the side that choose says; n
// counts the conflicts from 0.
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

// same adds what all have.
func (p *Pieces) same(text []byte) {
	if len(text) == 0 {
		return
	}
	if last := len(*p) - 1; last >= 0 && !(*p)[last].Conflict {
		(*p)[last].Same = append((*p)[last].Same, text...)
		return
	}
	*p = append(*p, Piece{Same: append([]byte(nil), text...)})
}

// conflict adds what the sides have differently; what they have alike is none.
func (p *Pieces) conflict(ours, base, theirs []byte) {
	if string(ours) == string(theirs) {
		p.same(ours)
		return
	}
	for blank := blankLine(ours); blank > 0 && bytes.HasPrefix(theirs, ours[:blank]); blank = blankLine(ours) {
		p.same(ours[:blank])
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
		add[side] = slices.Clone(add[side]) // what is added later is of these pieces alone
	}
	*p = append(*p, Piece{Conflict: true, Sides: add})
}

// alsoBase adds lines to the base of the conflict at the end, if there is one.
func (p Pieces) alsoBase(base []byte) bool {
	last := len(p) - 1
	if last < 0 || !p[last].Conflict {
		return false
	}
	p[last].Sides[Base] = append(p[last].Sides[Base], base...)
	return true
}

// append adds pieces.
func (p *Pieces) append(more Pieces) {
	for _, piece := range more {
		if piece.Conflict {
			p.conflict(piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs])
		} else {
			p.same(piece.Same)
		}
	}
}

// Trimmed are the pieces without, in the conflicts, the lines that ours and theirs both
// begin or end with. Each side of a conflict gives the same text as before.
func (p Pieces) Trimmed() Pieces { return p.trimmed(func(Piece) bool { return true }) }

// trimmed trims some conflicts.
func (p Pieces) trimmed(which func(Piece) bool) (out Pieces) {
	for _, piece := range p {
		switch {
		case !piece.Conflict:
			out.same(piece.Same)
			continue
		case !which(piece):
			out.conflict(piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs])
			continue
		}
		ours, base, theirs := piece.Sides[Ours], piece.Sides[Base], piece.Sides[Theirs]
		head := common(ours, theirs)
		out.same(ours[:head])
		base = bytes.TrimPrefix(base, ours[:head])
		ours, theirs = ours[head:], theirs[head:]
		tail := commonTail(string(ours), string(theirs))
		end := ours[len(ours)-tail:]
		if commonTail(string(base), string(end)) == len(end) {
			base = base[:len(base)-len(end)]
		}
		out.conflict(ours[:len(ours)-tail], base, theirs[:len(theirs)-tail])
		out.same(end)
	}
	return out
}

// blankLine is the length of the empty line that a text begins with, 0 if it does not.
func blankLine(text []byte) int {
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 || len(bytes.TrimSpace(text[:end])) > 0 {
		return 0
	}
	return end
}

func countLines(text []byte) int {
	n := 0
	for _, b := range text {
		if b == '\n' {
			n++
		}
	}
	return n
}

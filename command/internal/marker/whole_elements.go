package marker

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// WithWholeElements returns the pieces with whole elements of lists: if both sides added one, and some of its first or last lines
// are equal, these are in the conflict, too. Else each side would be a part of an element, and without the lines of the markers
// the other side's fields would be in it twice. within reports whether a line of ours, by its number, belongs to a list whose
// elements have no keys.
func (p Pieces) WithWholeElements(base []byte, within func(line int) bool) (out Pieces) {
	var isNew [3][]bool
	for _, side := range [2]Side{Ours, Theirs} {
		isNew[side] = newLines(base, p.Resolve(func(int) Side { return side }))
	}
	mayMove := func(ours, theirs int) bool { return isNew[Ours][ours] && isNew[Theirs][theirs] && within(ours+1) }
	p = slices.Clone(p)
	ours, theirs := 0, 0 // the indices of the first lines behind the piece
	for i, piece := range p {
		if !piece.Conflict {
			ours, theirs = ours+countLines(piece.Same), theirs+countLines(piece.Same)
			continue
		}
		sides := &p[i].Sides
		if i > 0 && !p[i-1].Conflict {
			above := p[i-1].Same
			head, known := beginning(above, sides[Ours], sides[Theirs], func(up int) bool { return mayMove(ours-up, theirs-up) })
			p[i-1] = Piece{Same: above[:len(above)-head]}
			for side := range sides {
				if Side(side) != Base || known {
					sides[side] = slices.Concat(above[len(above)-head:], sides[side])
				}
			}
		}
		ours, theirs = ours+countLines(piece.Sides[Ours]), theirs+countLines(piece.Sides[Theirs])
		if i+1 < len(p) && !p[i+1].Conflict {
			below := p[i+1].Same
			tail, known := end(below, sides[Ours], sides[Theirs], func(down int) bool { return mayMove(ours+down, theirs+down) })
			for side := range sides {
				if Side(side) != Base || known {
					sides[side] = slices.Concat(sides[side], below[:tail])
				}
			}
			ours, theirs = ours+countLines(below[:tail]), theirs+countLines(below[:tail])
			p[i+1] = Piece{Same: below[tail:]}
		}
	}
	out.addAll(p)
	return out
}

// maxKnown is the number of lines beyond which an element that base has, too, is not taken into a conflict at its border: the version of a
// CustomResourceDefinition may have thousands.
const maxKnown = 64

// newLines reports for each line of a text whether base lacks it. Of equal places for added lines, it takes the one where they
// begin with an element.
func newLines(base, text []byte) []bool {
	lines := slices.Collect(strings.Lines(string(terminate(text))))
	isNew := slices.Repeat([]bool{true}, len(lines)+1)
	for _, at := range align.Lines(slices.Collect(strings.Lines(string(base))), lines) {
		if at >= 0 {
			isNew[at] = false
		}
	}
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && isNew[to] {
			to++
		}
		added := []byte(strings.Join(lines[from:to], ""))
		list := dashes(added, nil)
		for up := 0; to > from && columnOf(added) > list && from-up > 0 && lines[from-up-1] == lines[to-up-1]; up++ {
			if line := []byte(lines[from-up-1]); !isDash(line) || columnOf(line) != list {
				continue
			}
			for i := range up + 1 {
				isNew[from-i-1], isNew[to-i-1] = true, false
			}
			break
		}
		from = max(from, to)
	}
	return isNew
}

// beginning returns the length of the lines above a conflict from which on the outermost element around it begins, of the lines
// that both sides added: isNew gets their distance from the conflict. Where an element begins in the conflict, the one before it
// in the same list is whole, too, whoever has it; known reports that base has some of its lines. The length is 0 if no
// element begins above.
func beginning(above, ours, theirs []byte, isNew func(up int) bool) (length int, known bool) {
	list := dashes(ours, theirs)
	lines := slices.Collect(bytes.Lines(above))
	column := min(columnOf(ours), columnOf(theirs))
	inside := column > list && list < math.MaxInt // the end of an element is in the conflict, and the next one
	size, allNew := 0, true
	for i, line := range slices.Backward(lines) {
		allNew = allNew && isNew(len(lines)-i)
		if column == 0 || len(ours) == 0 || len(theirs) == 0 || !allNew && !inside {
			break
		}
		size += len(line)
		if at := columnOf(line); at < column {
			if column = at; isDash(line) && (allNew || at == list && len(lines)-i <= maxKnown) {
				length, known = size, !allNew
			}
			inside = inside && at > list
		}
	}
	return length, known
}

// end returns the length of the lines below a conflict that belong to an element which begins in it. Where the conflict is the
// first line of one element, they are lines that both sides added: isNew gets their distance from the conflict. known reports
// that base has some of them.
func end(below, ours, theirs []byte, isNew func(down int) bool) (length int, known bool) {
	column, first := dashes(ours, theirs), true
	if len(ours) == 0 || len(theirs) == 0 {
		return 0, false
	}
	for _, side := range [2][]byte{ours, theirs} {
		elements := 0
		for line := range bytes.Lines(side) {
			if isDash(line) && columnOf(line) == column {
				elements++
			}
		}
		first = first && elements == 1 && columnOf(side) == column
	}
	size, down := 0, 0
	for line := range bytes.Lines(below) {
		isBlank := len(bytes.TrimSpace(line)) == 0
		if !isBlank && columnOf(line) <= column || first && !isNew(down) {
			break
		}
		size, down = size+len(line), down+1
		if !isBlank {
			length = size
		}
		if known = known || !isNew(down-1); known && down > maxKnown {
			return 0, false
		}
	}
	return length, known
}

// dashes returns the column of the outermost elements that begin in a side, math.MaxInt if none does.
func dashes(ours, theirs []byte) int {
	column := math.MaxInt
	for _, side := range [2][]byte{ours, theirs} {
		for line := range bytes.Lines(side) {
			if isDash(line) {
				column = min(column, columnOf(line))
			}
		}
	}
	return column
}

// columnOf returns the number of spaces before the first line of a text that is neither empty nor a comment.
func columnOf(text []byte) int {
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " "); len(bytes.TrimSpace(rest)) > 0 && rest[0] != '#' {
			return len(line) - len(rest)
		}
	}
	return math.MaxInt
}

// isDash reports whether an element of a list begins in a line.
func isDash(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("- ")) }

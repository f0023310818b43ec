package main

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/align"
)

// stretch is where a conflict stands among the lines of a text that has ours of every
// conflict: from lo to hi.
type stretch struct{ lo, hi int }

// gone counts the conflicts of one text in the place of which another text of the same
// versions has none.
func gone(gits, drivers []byte, f command.MarkerFormat) (n int) {
	was, before := stretches(f.Parse(gits))
	is, after := stretches(f.Parse(drivers))
	match := align.Lines(after, before)
	for i := range is {
		is[i] = stretch{placeBefore(match, is[i].lo), placeAfter(match, is[i].hi, len(before))}
	}
	for _, s := range was {
		if !slices.ContainsFunc(is, func(left stretch) bool { return left.lo <= s.hi && s.lo <= left.hi }) {
			n++
		}
	}
	return n
}

// stretches are the conflicts of a text, and its lines with ours of each.
func stretches(p command.Pieces) (found []stretch, lines []string) {
	for _, piece := range p {
		text := piece.Same
		if piece.Conflict {
			text = piece.Sides[command.Ours]
		}
		lo := len(lines)
		lines = slices.AppendSeq(lines, strings.Lines(string(text)))
		if piece.Conflict {
			found = append(found, stretch{lo, len(lines)})
		}
	}
	return found, lines
}

// placeBefore is where the line after the last one before at stands that has a counterpart.
func placeBefore(match []int, at int) int {
	for i := at - 1; i >= 0; i-- {
		if match[i] >= 0 {
			return match[i] + 1
		}
	}
	return 0
}

// placeAfter is where the first line from at on stands that has a counterpart.
func placeAfter(match []int, at, end int) int {
	for i := at; i < len(match); i++ {
		if match[i] >= 0 {
			return match[i]
		}
	}
	return end
}

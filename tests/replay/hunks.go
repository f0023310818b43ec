package main

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/align"
)

// stretch has the lines of a conflict, from lo to hi, in a text that has ours of every
// conflict.
type stretch struct{ lo, hi int }

// gone counts the conflicts of git's text without a counterpart in the driver's text of
// the same versions.
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

// placeBefore returns the place after the counterpart of the last line before at that has one.
func placeBefore(match []int, at int) int {
	for i := at - 1; i >= 0; i-- {
		if match[i] >= 0 {
			return match[i] + 1
		}
	}
	return 0
}

// placeAfter returns the place of the counterpart of the first line from at on that has one.
func placeAfter(match []int, at, end int) int {
	for i := at; i < len(match); i++ {
		if match[i] >= 0 {
			return match[i]
		}
	}
	return end
}

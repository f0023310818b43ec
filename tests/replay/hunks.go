package main

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/tests/history"
)

// stretch has the lines of a conflict, from lo to hi, in a text that has ours of every
// conflict.
type stretch struct{ lo, hi int }

// settled are the conflicts of git's text that have no counterpart in the driver's text of the same versions.
func settled(gits, drivers []byte, f command.MarkerFormat) (out []settledConflict) {
	was, before := stretches(f.Parse(gits))
	is, after := stretches(f.Parse(drivers))
	match := align.Lines(after, before)
	back := align.Lines(before, after)
	for i := range is {
		is[i] = stretch{placeBefore(match, is[i].lo), placeAfter(match, is[i].hi, len(before))}
	}
	for i, s := range was {
		if !slices.ContainsFunc(is, func(left stretch) bool { return left.lo <= s.hi && s.lo <= left.hi }) {
			out = append(out, settledConflict{number: i, lines: stretch{placeBefore(back, s.lo), placeAfter(back, s.hi, len(after))}})
		}
	}
	return out
}

// settledConflict is one of git's conflicts, by its number, and the lines that the driver's text has in its place.
type settledConflict struct {
	number int
	lines  stretch
}

// countSettled counts the conflicts of git's that the driver settled, by their kind: whether the people's text has the
// driver's lines there, or says the same as a whole, or has the lines of one side.
func countSettled(s history.Scores, found []settledConflict, texts map[string][]byte, f command.MarkerFormat) {
	people := slices.Collect(strings.Lines(string(texts["people"])))
	gits := f.Parse(texts["git"])
	ours, withOurs := stretchesOf(gits, command.Ours)
	theirs, withTheirs := stretchesOf(gits, command.Theirs)
	_, merged := stretches(f.Parse(texts["driver"]))
	all := history.Agree(texts["driver"], texts["people"])
	match, matchOurs, matchTheirs := align.Lines(merged, people), align.Lines(withOurs, people), align.Lines(withTheirs, people)
	kinds := kindsOf(f.Parse(texts["diff3"]))
	for _, c := range found {
		kind := kinds.at(ours[c.number])
		s.Of(kind).Count(all || isRun(match, c.lines), isRun(matchOurs, ours[c.number]) || isRun(matchTheirs, theirs[c.number]))
	}
}

// isRun reports whether the lines of a stretch, with the one before and the one after, have counterparts that follow
// each other.
func isRun(match []int, s stretch) bool {
	for i := max(s.lo-1, 0); i < min(s.hi+1, len(match)); i++ {
		if match[i] < 0 || i > max(s.lo-1, 0) && match[i] != match[i-1]+1 {
			return false
		}
	}
	return true
}

// The kinds of conflicts.
const (
	bothAdded   = "both added lines"
	bothChanged = "both changed lines"
	oneRemoved  = "one removed lines, the other changed them"
)

// kindOfStretch is a conflict and the kind of its changes, such as lines that both sides added.
type kindOfStretch struct {
	stretch
	kind string
}

type kindsOfStretches []kindOfStretch

// kindsOf returns the kinds of the conflicts of a text whose markers have the base.
func kindsOf(p command.Pieces) (out kindsOfStretches) {
	found, _ := stretches(p)
	for _, piece := range p {
		if !piece.Conflict {
			continue
		}
		kind := bothChanged
		switch sides := piece.Sides; {
		case len(sides[command.Base]) == 0:
			kind = bothAdded
		case len(sides[command.Ours]) == 0 || len(sides[command.Theirs]) == 0:
			kind = oneRemoved
		}
		out = append(out, kindOfStretch{found[len(out)], kind})
	}
	return out
}

// at returns the kind of the conflict at a stretch of the same text in another style of markers.
func (k kindsOfStretches) at(s stretch) string {
	for _, of := range k {
		if of.lo <= s.lo && s.hi <= of.hi {
			return of.kind
		}
	}
	return bothChanged
}

// stretches are the conflicts of a text, and its lines with ours of each.
func stretches(p command.Pieces) (found []stretch, lines []string) {
	return stretchesOf(p, command.Ours)
}

// stretchesOf are the conflicts of a text, and its lines with one side of each.
func stretchesOf[Side ~int](p command.Pieces, side Side) (found []stretch, lines []string) {
	for _, piece := range p {
		text := piece.Same
		if piece.Conflict {
			text = piece.Sides[side]
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

// Package wording shortens and counts what messages speak of.
package wording

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Ellipsis stands for what is cut away.
const Ellipsis = "…"

// maxStep is the longest step of a path that is cut away whole.
const maxStep = 24

// Cut shortens text to at most limit bytes, at a character's end, with an
// ellipsis for what is gone.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:RuneStart(text, max(limit-len(Ellipsis), 0))] + Ellipsis
}

// CutFront is Cut, at the front: the end of a path says more than its start.
func CutFront(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	start := RuneAfter(text, len(text)-max(limit-len(Ellipsis)-1, 0))
	for step := start; step < min(start+maxStep, len(text)); step++ {
		if between := text[step] == '.' || text[step] == '['; between && strings.Count(text[step:], `"`)%2 == 0 {
			return " " + Ellipsis + text[step:] // a path is cut between two steps
		}
	}
	return " " + Ellipsis + text[start:]
}

// CutMiddle shortens text to at most limit bytes, with an ellipsis in the middle.
func CutMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := (limit - len(Ellipsis)) / 2
	return text[:RuneStart(text, limit-len(Ellipsis)-half)] + Ellipsis + text[RuneAfter(text, len(text)-half):]
}

// RuneStart is at, or the start of the character that at is within.
func RuneStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// RuneAfter is at, or the end of the character that at is within.
func RuneAfter(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// Plural is a number with its noun.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

package merge

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// Stretch is some lines of a merged text: From's, or those of all sides where upstream's
// and local's changes collide.
type Stretch struct {
	From     identity.Side
	Text     string
	Collides bool
	// Versions are the lines that the sides have there, and Lines the numbers of the
	// first of them, from 1; only where they collide.
	Versions [3]string
	Lines    [3]int
}

// Lines merges texts line by line, as git does: changes with at least one unchanged line
// between them are both taken, changes that are alike once, and others collide. A line
// has its line break with it: a last line without one is another line, and so is one
// that ends in CR LF.
func Lines(texts [3]string) []Stretch {
	lines, pieces, _ := mergedPieces(texts)
	var out []Stretch
	for _, p := range pieces {
		switch {
		case p.collide:
			s := Stretch{Collides: true}
			for side := range lines {
				s.Versions[side] = strings.Join(lines[side][p.from[side]:p.to[side]], "")
				s.Lines[side] = p.from[side] + 1
			}
			out = append(out, s)
		case p.from[p.side] < p.to[p.side]:
			out = append(out, Stretch{From: p.side, Text: strings.Join(lines[p.side][p.from[p.side]:p.to[p.side]], "")})
		}
	}
	return out
}

// mergeLines merges texts line by line, if nothing collides.
func mergeLines(texts [3]string) (merged string, ok bool) {
	lines, pieces, ok := mergedPieces(texts)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, p := range pieces {
		for _, line := range lines[p.side][p.from[p.side]:p.to[p.side]] {
			b.WriteString(line)
		}
	}
	return b.String(), true
}

// mergedPieces are the lines of texts, and the pieces of these that are merged.
func mergedPieces(texts [3]string) (lines [3][]string, pieces []piece, clean bool) {
	var ids [3][]int
	index := map[string]int{}
	for side, text := range texts {
		lines[side] = strings.SplitAfter(text, "\n")
		for _, line := range lines[side] {
			id, found := index[line]
			if !found {
				id = len(index)
				index[line] = id
			}
			ids[side] = append(ids[side], id)
		}
	}
	pieces, clean = interweave(ids)
	return lines, pieces, clean
}

package gitdriver

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/marker"
)

// certainty is what every merge of lines comes to, by whatever algorithm their
// differences are found.
type certainty int

const (
	// unsure: git has to say.
	unsure certainty = iota
	// apart: between any two changes of the sides stands a line that each version has, and
	// has once. No difference reaches over such a line, so the changes do not collide.
	apart
	// collided: both sides replaced one line, which neither has any more, by other lines.
	collided
)

// mostCertain is how many bytes a version may have, of which the lines are looked at here.
const mostCertain = 1 << 20

// hunk is a change of one side: base's lines from lo to hi are the side's from start to end.
type hunk struct {
	side           marker.Side
	lo, hi         int
	start, end     int
	gone, newLines bool // none of base's lines is in the side, none of the side's in base
}

// certain merges lines without git where every merge of lines has the same result: git is
// not started for most files.
func (v Versions) certain() (text []byte, what certainty) {
	var lines [3][]string
	for side, text := range v.Texts {
		if !bytes.HasSuffix(text, []byte("\n")) || len(text) > mostCertain || isBinary(text) {
			return nil, unsure
		}
		lines[side] = slices.Collect(strings.Lines(string(text)))
	}
	counts := countsOf(lines)
	hunks := append(hunksOf(lines, marker.Ours, counts), hunksOf(lines, marker.Theirs, counts)...)
	slices.SortStableFunc(hunks, func(a, b hunk) int { return cmp.Compare(a.lo, b.lo) })
	at := 0
	for i, h := range hunks {
		if i > 0 && hunks[i-1].side != h.side {
			before := hunks[i-1]
			if h.lo < before.hi && replaceOne(before, h, lines, counts) {
				return nil, collided
			}
			if h.lo <= before.hi || !slices.ContainsFunc(lines[marker.Base][before.hi:h.lo], func(line string) bool { return counts[line] == [3]int{1, 1, 1} }) {
				return nil, unsure
			}
		}
		text = appendLines(text, lines[marker.Base][at:h.lo])
		text = appendLines(text, lines[h.side][h.start:h.end])
		at = h.hi
	}
	return appendLines(text, lines[marker.Base][at:]), apart
}

// countsOf counts how often each version has a line.
func countsOf(lines [3][]string) map[string][3]int {
	counts := make(map[string][3]int, len(lines[marker.Base]))
	for side := range lines {
		for _, line := range lines[side] {
			c := counts[line]
			c[side]++
			counts[line] = c
		}
	}
	return counts
}

// hunksOf are the changes of a side.
func hunksOf(lines [3][]string, side marker.Side, counts map[string][3]int) (hunks []hunk) {
	base, own := lines[marker.Base], lines[side]
	flush := func(h hunk) {
		if h.lo == h.hi && h.start == h.end {
			return
		}
		h.gone = h.lo < h.hi && !slices.ContainsFunc(base[h.lo:h.hi], func(line string) bool { return counts[line][side] > 0 })
		h.newLines = !slices.ContainsFunc(own[h.start:h.end], func(line string) bool { return counts[line][marker.Base] > 0 })
		hunks = append(hunks, h)
	}
	lo, start := 0, 0
	for i, j := range append(align.Lines(base, own), len(own)) {
		if j < 0 {
			continue
		}
		flush(hunk{side: side, lo: lo, hi: i, start: start, end: j})
		lo, start = i+1, j+1
	}
	return hunks
}

// replaceOne reports whether two hunks of two sides, that have a line of base in common,
// collide by any algorithm: each replaces its lines by new ones, and these are not the same.
func replaceOne(a, b hunk, lines [3][]string, counts map[string][3]int) bool {
	own := func(h, other hunk) bool {
		return slices.ContainsFunc(lines[h.side][h.start:h.end], func(line string) bool { return counts[line][other.side] == 0 })
	}
	return a.gone && a.newLines && b.gone && b.newLines && own(a, b) && own(b, a)
}

func appendLines(text []byte, lines []string) []byte {
	for _, line := range lines {
		text = append(text, line...)
	}
	return text
}

package gitdriver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/align"
)

// certainty is what every merge of lines comes to, by whatever algorithm their
// differences are found.
type certainty int

const (
	// unsure: git has to say.
	unsure certainty = iota
	// apart: between any two changes of the sides stands a line that each version has, and
	// has once, or both are settled. No change moves over such a line, so they do not collide.
	apart
	// collided: both sides added the file, or replaced one line, which neither has any more.
	collided
)

// mostCertain is how many bytes a version may have, of which the lines are looked at here.
const mostCertain = 1 << 20

// hunk is a change of one side: base's lines from lo to hi are the side's from start to end.
type hunk struct {
	side       marker.Side
	both       bool // the other side has the same
	lo, hi     int
	start, end int
	// settled says that every difference has the change there: none of base's lines is in the
	// side, none of the side's in base, and nothing moves what is only added.
	settled bool
}

// certain merges lines without git where every merge of lines has the same result (rules/git:
// when git runs): git is not started for most files.
func (v Versions) certain() (text []byte, what certainty) {
	if len(v.Texts[marker.Base]) == 0 && len(v.Texts[marker.Ours]) > 0 && len(v.Texts[marker.Theirs]) > 0 {
		return nil, collided // both added the file
	}
	var lines [3][]string
	for side, text := range v.Texts {
		if len(text) > mostCertain || isBinary(text) {
			return nil, unsure
		}
		lines[side] = slices.Collect(strings.Lines(string(text)))
	}
	counts := countsOf(lines)
	ours, oursSure := hunksOf(lines, marker.Ours, counts)
	theirs, theirsSure := hunksOf(lines, marker.Theirs, counts)
	if !oursSure || !theirsSure {
		return nil, unsure
	}
	hunks := append(ours, theirs...)
	slices.SortStableFunc(hunks, func(a, b hunk) int { return cmp.Compare(a.lo, b.lo) })
	hunks = once(hunks, lines)
	at := 0
	for i, h := range hunks {
		if i > 0 && (hunks[i-1].both || h.both || hunks[i-1].side != h.side) {
			if what = between(hunks[i-1], h, lines, counts); what != apart {
				return nil, what
			}
		}
		text = appendLines(text, lines[marker.Base][at:h.lo])
		text = appendLines(text, lines[h.side][h.start:h.end])
		at = h.hi
	}
	return appendLines(text, lines[marker.Base][at:]), apart
}

// between is what two changes of two sides come to, of which a comes first.
func between(a, b hunk, lines [3][]string, counts map[string][3]int) certainty {
	touch, settled := b.lo <= a.hi, a.settled && b.settled
	switch {
	case touch && settled && differ(a, b, lines, counts):
		return collided
	case touch:
		return unsure
	case settled || slices.ContainsFunc(lines[marker.Base][a.hi:b.lo], func(line string) bool { return isAnchor(counts, line) }):
		return apart
	}
	return unsure
}

// once are sorted hunks, of which one that both sides have is there once.
func once(hunks []hunk, lines [3][]string) (out []hunk) {
	for _, h := range hunks {
		if last := len(out) - 1; last >= 0 {
			if a := out[last]; a.side != h.side && a.lo == h.lo && a.hi == h.hi && slices.Equal(lines[a.side][a.start:a.end], lines[h.side][h.start:h.end]) {
				out[last].both = true
				continue
			}
		}
		out = append(out, h)
	}
	return out
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

// hunksOf are the changes of a side. They are sure if every shortest difference leaves
// the same lines alone, but for lines that are there more than once: all lines that the side lost
// are gone from it, or all that it added are new.
func hunksOf(lines [3][]string, side marker.Side, counts map[string][3]int) (hunks []hunk, sure bool) {
	base, own := lines[marker.Base], lines[side]
	allGone, allNew := true, true
	for _, h := range align.Hunks(align.Lines(base, own), len(own)) {
		gone := !slices.ContainsFunc(base[h.ALo:h.AHi], func(line string) bool { return counts[line][side] > 0 })
		added := !slices.ContainsFunc(own[h.BLo:h.BHi], func(line string) bool { return counts[line][marker.Base] > 0 })
		allGone, allNew = allGone && gone, allNew && added
		hunks = append(hunks, hunk{side: side, lo: h.ALo, hi: h.AHi, start: h.BLo, end: h.BHi, settled: gone && added})
	}
	for i, h := range hunks {
		above := h.lo == 0 || isAnchor(counts, base[h.lo-1])
		below := h.hi == len(base) || isAnchor(counts, base[h.hi])
		hunks[i].settled = h.settled && (allGone && allNew || h.lo < h.hi || above && below)
	}
	return hunks, allGone || allNew
}

// isAnchor reports whether each version has a line once.
func isAnchor(counts map[string][3]int, line string) bool { return counts[line] == [3]int{1, 1, 1} }

// differ reports whether a hunk has a line that the other one's side has nowhere.
func differ(a, b hunk, lines [3][]string, counts map[string][3]int) bool {
	own := func(h, other hunk) bool {
		return slices.ContainsFunc(lines[h.side][h.start:h.end], func(line string) bool { return counts[line][other.side] == 0 })
	}
	return own(a, b) || own(b, a)
}

func appendLines(text []byte, lines []string) []byte {
	for _, line := range lines {
		text = append(text, line...)
	}
	return text
}

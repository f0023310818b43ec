package align

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestAlign: pairs have equal elements and are in the order of both, and if no element is an anchor, there are as
// many as possible.
func TestAlign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(1, 12).Draw(t, "kinds")), 0, 14)
		a, b := sequence.Draw(t, "a"), sequence.Draw(t, "b")
		match := Pairs(a, b)
		pairs, before := 0, -1
		for i, j := range match {
			if j < 0 {
				continue
			}
			if j <= before || a[i] != b[j] {
				t.Fatalf("%v: %d is paired with %d", match, i, j)
			}
			pairs, before = pairs+1, j
		}
		x := newAligner(a, b)
		if most := longestCommon(a, b); len(x.anchors(block{0, len(a), 0, len(b)})) == 0 && pairs < most && !hasAnchorsWithin(a, b) {
			t.Fatalf("%v: %d pairs, %d are possible", match, pairs, most)
		}
	})
}

// TestSlide: a slid alignment has as many pairs as before, of equal elements in the order of both, and no run that one
// sequence alone has can move further; so a run that one sequence has more than the other stands in one place.
func TestSlide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(1, 5).Draw(t, "kinds")), 0, 14)
		a, b := sequence.Draw(t, "a"), sequence.Draw(t, "b")
		match := Pairs(a, b)
		was := Count(match)
		Slide(match, a, b)
		pairs, before := 0, -1
		for i, j := range match {
			if j < 0 {
				continue
			}
			if j <= before || a[i] != b[j] {
				t.Fatalf("%v: %d is paired with %d", match, i, j)
			}
			pairs, before = pairs+1, j
		}
		if pairs != was {
			t.Fatalf("%d pairs of %d are left", pairs, was)
		}
		for _, h := range Hunks(match, len(b)) {
			if h.AHi < len(a) && h.BHi < len(b) && (h.ALo == h.AHi && b[h.BLo] == a[h.AHi] || h.BLo == h.BHi && a[h.ALo] == b[h.BHi]) {
				t.Fatalf("%v: %v can move", match, h)
			}
		}
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		more := slices.Insert(slices.Clone(a), at, sequence.Draw(t, "added")...)
		last := 0 // the last place of the run
		for i := range a {
			if slices.Equal(a[:i+1], more[:i+1]) {
				last = i + 1
			}
		}
		match = Pairs(a, more)
		if Slide(match, a, more); len(more) > len(a) {
			if h := Hunks(match, len(more)); len(h) == 1 && h[0].ALo == h[0].AHi && h[0].ALo != last {
				t.Fatalf("%v in %v: %v, can be at %d", a, more, h, last)
			}
		}
	})
}

// hasAnchorsWithin reports whether, without the common prefix and suffix, an element occurs once in each sequence.
func hasAnchorsWithin(a, b []int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	x := newAligner(a, b)
	return len(x.anchors(block{0, len(a), 0, len(b)})) > 0
}

// longestCommon returns the length of the longest common subsequence, computed by the table.
func longestCommon(a, b []int) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		above := slices.Clone(row)
		for j, y := range b {
			row[j+1] = max(row[j], above[j+1])
			if x == y {
				row[j+1] = above[j] + 1
			}
		}
	}
	return row[len(b)]
}

// TestAlignIsBounded: sequences of few kinds with little in common take linear work, not quadratic.
func TestAlignIsBounded(t *testing.T) {
	a, b := make([]int, 200_000), make([]int, 200_000)
	for i := range a {
		a[i], b[i] = i*i%7, 7+i*i%5
		if i%3 == 0 {
			b[i] = a[len(a)-1-i]
		}
	}
	x := aligner{a: a, b: b, match: make([]int, len(a)), budget: 1000}
	x.fewest(block{0, len(a), 0, len(b)})
	if x.budget >= 0 {
		t.Errorf("the budget was not used up: %d", x.budget)
	}
	Pairs(a, b)
}

// TestLines: lines are paired like equal numbers, whatever the numbers.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.SliceOfN(rapid.IntRange(-5, 5), 0, 20)
		a, b := sequence.Draw(t, "a"), sequence.Draw(t, "b")
		text := func(ids []int, far int) (lines []string, numbers []int) {
			for _, id := range ids {
				lines, numbers = append(lines, strconv.Itoa(id)), append(numbers, id*far)
			}
			return lines, numbers
		}
		linesA, farA := text(a, 1_000)
		linesB, farB := text(b, 1_000)
		want := Pairs(a, b)
		if got := Lines(linesA, linesB); !slices.Equal(got, want) {
			t.Errorf("lines are paired as %v, numbers as %v", got, want)
		}
		if got := Pairs(farA, farB); !slices.Equal(got, want) {
			t.Errorf("large numbers are paired as %v, small ones as %v", got, want)
		}
	})
}

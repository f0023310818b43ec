package resourcelist

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShallows holds that the lines are found in any number of parts.
func TestShallows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"\n", "- a\n", " \n", "  - b\n", "   c: d\n", "\te\n", "# f\n", "    " + strings.Repeat("g", 50) + "\n"})
		above := rapid.SampledFrom([]string{"", "items:\n"}).Draw(t, "above")
		below := rapid.SliceOf(line).Draw(t, "lines")
		text := above + strings.Join(below, "") + rapid.SampledFrom([]string{"", "h", " ", "     i"}).Draw(t, "last")
		column := rapid.IntRange(0, 3).Draw(t, "column")
		var want []shallow
		at := len(above)
		for i, l := range strings.SplitAfter(text[at:], "\n") {
			if l != "" && l != "\n" && !strings.HasPrefix(l, strings.Repeat(" ", column+1)) {
				want = append(want, shallow{at, 7 + i})
			}
			at += len(l)
		}
		for parts := range 5 {
			if got := shallowsIn(parts+1, []byte(text), len(above), 7, column); !slices.Equal(got, want) {
				t.Fatalf("in %d parts: %v, want %v\n%s", parts+1, got, want, text)
			}
		}
	})
}

// TestSplitsLargeLists has a list whose lines are looked for in parts.
func TestSplitsLargeLists(t *testing.T) {
	text := head + "items:\n" + strings.Repeat("- a: b\n  c: d\n\n", 1<<15)
	list, ok := readSplit([]byte(text))
	if !ok || len(list.Items) != 1<<15 {
		t.Fatalf("split: %t", ok)
	}
	above := strings.Count(head, "\n") + 2
	for i, item := range list.Items {
		if item.Line != above+3*i {
			t.Fatalf("item %d is in line %d", i, item.Line)
		}
	}
}

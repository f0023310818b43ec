package marker

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGrowth: four times the conflicts that touch take at most six times the memory.
func TestGrowth(t *testing.T) {
	allocated := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var p Pieces
		for i := range n {
			p.addConflict(fmt.Appendf(nil, "a%d: 1\n", i), fmt.Appendf(nil, "b%d: 1\n", i), fmt.Appendf(nil, "c%d: 1\n", i))
		}
		runtime.ReadMemStats(&after)
		if len(p) != 1 {
			t.Fatalf("%d pieces", len(p))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(2_000), allocated(8_000); many > 6*few {
		t.Errorf("%d bytes for 2,000 conflicts, %d for 8,000", few, many)
	}
}

// TestLawExtend: common lines that follow each other in one text are not copied, and the text stays as it is whatever
// lines are added.
func TestLawExtend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Repeat("a\nb\nc\n", 4))
		was := string(text)
		var p Pieces
		var want string
		follows, next, end := true, 0, 0 // end is behind the last run that is not empty
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			start := next
			if rapid.Bool().Draw(t, "elsewhere") {
				start = rapid.IntRange(0, len(text)).Draw(t, "start")
			}
			next = rapid.IntRange(start, len(text)).Draw(t, "end")
			p.addSame(text[start:next])
			if start < next {
				follows = follows && (want == "" || start == end)
				end = next
			}
			want += was[start:next]
		}
		if got := string(p.Resolve(func(int) Side { return Ours })); got != want {
			t.Fatalf("the lines are %q, want %q", got, want)
		}
		if string(text) != was {
			t.Fatalf("the text became %q", text)
		}
		if follows && len(want) > 0 && p[0].copied {
			t.Fatalf("%q was copied", want)
		}
	})
}

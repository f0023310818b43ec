package marker

import (
	"fmt"
	"runtime"
	"testing"
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

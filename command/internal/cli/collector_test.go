package cli

import (
	"runtime"
	"testing"
	"time"
)

// TestGrowthAbove: a small heap may grow ninefold, and a large one by half, so that it is never collected all the time.
func TestGrowthAbove(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 800}, {4 << 20, 800}, {16 << 20, 800}, {64 << 20, 200}, {128 << 20, 100}, {256 << 20, 50}, {300 << 20, 50}, {1 << 40, 50},
	} {
		if got := growthAbove(c.live, muchRest); got != c.want {
			t.Errorf("a heap of %d bytes may grow by %d %%, want %d", c.live, got, c.want)
		}
	}
}

// TestAfterCollections: each collection is followed by a call with the size of the heap at the next one.
func TestAfterCollections(t *testing.T) {
	kept := make([]byte, 1<<22)
	calls := make(chan uint64)
	afterCollections(func(next uint64) {
		select {
		case calls <- next:
		case <-time.After(time.Minute):
		}
	})
	for range 2 {
		for called := false; !called; { // a collection that comes before the last call has returned is not followed by a call
			runtime.GC()
			select {
			case next := <-calls:
				if called = true; next < uint64(len(kept)) {
					t.Errorf("a heap with %d bytes is collected again at %d", len(kept), next)
				}
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	runtime.KeepAlive(kept)
}

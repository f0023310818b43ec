package tests

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/bench"
)

// heap is the number of bytes of the objects on the heap, with dead ones that are
// not swept yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peakOf is the most bytes that a run adds to the heap, as sampled about every
// 100 microseconds and at the end. The heap is collected before; the garbage
// collector runs as it does in the program, so garbage counts until it does.
func peakOf(run func()) float64 {
	runtime.GC()
	runtime.GC() // the first one's sweeping ends here
	before := heap()
	stop, peak := make(chan struct{}), make(chan uint64)
	go sample(stop, peak)
	run()
	close(stop)
	return float64(<-peak) - float64(before)
}

// sample sends the largest heap that it saw, once it is stopped.
func sample(stop <-chan struct{}, peak chan<- uint64) {
	ticker := time.NewTicker(100 * time.Microsecond)
	defer ticker.Stop()
	most := heap()
	for {
		select {
		case <-stop:
			peak <- max(most, heap())
			return
		case <-ticker.C:
			most = max(most, heap())
		}
	}
}

// maxAllocations bounds the allocations for a resource that nobody changed. It
// is a third of the allocations for parsing only one of its three versions.
const maxAllocations = 400

// TestUnchangedResourcesAreNotParsed counts the allocations that 100 more
// resources take, if nobody changed them.
func TestUnchangedResourcesAreNotParsed(t *testing.T) {
	none := bench.Load{Upstream: 1000, Local: 1000} // only the first
	small, large := allocations(t, none.List(100)), allocations(t, none.List(200))
	if each := (large - small) / 100; each > maxAllocations {
		t.Errorf("%.0f allocations for each resource, want at most %d: is every item parsed?", each, maxAllocations)
	} else {
		t.Logf("%.0f allocations for each resource", each)
	}
}

// TestConflictsAreCheap compares the allocations for a list whose resources all changed on both
// sides, without conflicts and with one in each resource.
func TestConflictsAreCheap(t *testing.T) {
	const size, most = 200, 1.5
	clean, colliding := bench.All(), bench.All()
	colliding.Conflicts = true
	ratio := allocations(t, colliding.List(size)) / allocations(t, clean.List(size))
	t.Logf("%.2f times the allocations", ratio)
	if ratio > most {
		t.Errorf("want at most %.1f times: what does a conflict parse or encode?", most)
	}
}

func allocations(t *testing.T, in []byte) float64 {
	return testing.AllocsPerRun(1, func() {
		if _, err := command.Function(in); err != nil {
			t.Fatal(err)
		}
	})
}

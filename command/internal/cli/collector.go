package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// limitGarbage makes the collector run at half the usual growth of the heap, if the input is large
// and the environment does not set GOGC. Most of the heap is then input without pointers, so the
// merge takes no longer and needs a fifth less memory.
func limitGarbage(input int) {
	if os.Getenv("GOGC") == "" && input > 1<<22 {
		debug.SetGCPercent(50)
	}
}

// collectLess lets the heap grow by rest bytes or by half between two collections, whichever is more, and at first as above 4 MiB,
// unless the environment says otherwise. To collect the versions of a file takes almost half of the time of blame, and the
// first collection a twentieth of the time of a merge of one small file.
func collectLess(rest uint64) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		growth := growthAbove(4<<20, rest)
		debug.SetGCPercent(growth)
		afterCollections(func(next uint64) {
			growth = growthAbove(100*next/uint64(100+growth), rest) // #nosec G115 -- it is not negative
			debug.SetGCPercent(growth)
		})
	}
}

// mostGrowth and leastGrowth limit the growth of the heap between two collections, in percent. Commands that go through many
// versions let it grow by muchRest bytes between these limits, and those that merge one package by littleRest.
const (
	mostGrowth  = 800
	leastGrowth = 50
	muchRest    = 128 << 20
	littleRest  = 16 << 20
)

// growthAbove returns the percentage by which a heap may grow until it is collected again, by about rest bytes. It is never so small that the
// collector has no rest, whatever the size of the heap: then the time of a merge would grow with the square of its input.
func growthAbove(live, rest uint64) int {
	return int(min(max(100*rest/max(live, 1), leastGrowth), mostGrowth)) // #nosec G115 -- it is at most mostGrowth
}

// afterCollections calls do after each collection, with the size of the heap, in bytes, at which the next one begins. The
// package runtime/metrics would tell what the collection left, and its initialization takes a thirtieth of a start.
func afterCollections(do func(next uint64)) {
	runtime.AddCleanup(new([64]byte), func(do func(next uint64)) {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		do(stats.NextGC)
		afterCollections(do)
	}, do)
}

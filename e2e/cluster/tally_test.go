package cluster

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// tally counts how the situations of a test ended.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

// newTally is a tally that is logged when the test, with its subtests, ends.
func newTally(t *testing.T) *tally {
	t.Helper()
	counted := &tally{counts: map[string]int{}}
	t.Cleanup(func() {
		for _, what := range slices.Sorted(maps.Keys(counted.counts)) {
			t.Logf("%4d x %s", counted.counts[what], what)
		}
	})
	return counted
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

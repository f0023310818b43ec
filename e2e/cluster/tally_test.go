package cluster

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// all counts every situation, however it ended.
const all = "situations"

// tally counts how the situations of a test ended.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

// newTally is a tally that is logged when the test, with its subtests, ends. If all
// situations ran, and as many as usual were drawn from the usual seed, each of some endings
// must be there: with another seed chance decides.
func newTally(t *testing.T, drawn int, must ...string) *tally {
	t.Helper()
	counted := &tally{counts: map[string]int{}}
	t.Cleanup(func() {
		for _, what := range slices.Sorted(maps.Keys(counted.counts)) {
			t.Logf("%4d x %s", counted.counts[what], what)
		}
		if counted.counts[all] < drawn || *situations < usual || *seed != usualSeed {
			return
		}
		for _, what := range must {
			if counted.counts[what] == 0 {
				t.Errorf("no situation ended so: %s", what)
			}
		}
	})
	return counted
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

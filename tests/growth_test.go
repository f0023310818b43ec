package tests

import (
	"runtime"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/bench"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestGrowth: four times the input is at most five times the allocations, whatever there is
// much of (rules/reading: bounds). A quick run has every ninth of the inputs. BenchmarkGrowth has the times.
func TestGrowth(t *testing.T) {
	for i, g := range bench.AllGrowing() {
		if i%seed.Step(9) != 0 {
			continue
		}
		t.Run(strings.ReplaceAll(g.Name, " ", "-"), func(t *testing.T) {
			count := func(n int) uint64 {
				in := g.Make(n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, _ = command.Function(in)
				runtime.ReadMemStats(&after)
				return after.Mallocs - before.Mallocs
			}
			n := max(10, g.N/40)
			if few, many := count(n), count(4*n); many > 5*few {
				t.Errorf("%d allocations for %d, %d for %d", few, n, many, 4*n)
			}
		})
	}
}

// BenchmarkGrowth prints the time for each shape as a ratio of that for half of it: 2 is
// linear.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range bench.AllGrowing() {
		b.Run(strings.ReplaceAll(g.Name, " ", "-"), func(b *testing.B) {
			run := func(n int) func() {
				in := g.Make(n)
				return func() { _, _ = command.Function(in) }
			}
			b.ReportMetric(ratio(b, run(2*g.N), run(g.N)), "2x/1x")
		})
	}
}

package tests

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/bench"
)

// The benchmarks print ratios, because those hold on other machines too. All run
// the function in this process; e2e/perf measures whole programs.

// list is a list of a shape.
func list(b *testing.B, shape string, n int) []byte {
	b.Helper()
	in, err := bench.Make(shape, n)
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// ours returns a run of the function on a list.
func ours(b *testing.B, in []byte) func() {
	return func() {
		if _, err := command.Function(in); err != nil {
			b.Fatal(err)
		}
	}
}

// floor returns a run of bench.Floor, with which the function is compared.
func floor(b *testing.B, in []byte) func() {
	return func() {
		if err := bench.Floor(in, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// seconds is the time that a run takes.
func seconds(run func()) float64 {
	start := time.Now()
	run()
	return time.Since(start).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// ratio is how long over takes as a ratio of under: the median of the pairs of
// the benchmark's loop. Both run once before.
func ratio(b *testing.B, over, under func()) float64 {
	over()
	under()
	var ratios []float64
	for b.Loop() {
		ratios = append(ratios, seconds(over)/seconds(under))
	}
	b.ReportMetric(0, "ns/op")
	return median(ratios)
}

// times returns n runs in a row.
func times(n int, run func()) func() {
	return func() {
		for range n {
			run()
		}
	}
}

// BenchmarkMerge prints time and peak memory of a merge as ratios of the
// floor's, for 1 % changed upstream and 5 % locally ("few"), everything changed
// on both sides ("all"), and few as JSON.
func BenchmarkMerge(b *testing.B) {
	for _, shape := range []string{"few", "all", "json"} {
		for _, n := range []int{100, 1000, 5000} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) { benchmarkMerge(b, shape, n) })
		}
	}
}

func benchmarkMerge(b *testing.B, shape string, n int) {
	in := list(b, shape, n)
	merge, read := ours(b, in), floor(b, in)
	b.ReportMetric(ratio(b, merge, read), "ours/floor")
	b.ReportMetric(peakOf(merge)/peakOf(read), "mem/floor")
	b.ReportMetric(1e6*seconds(merge)/float64(n), "us/resource")
}

// BenchmarkCRDs prints time and peak memory of merges of large CRDs as ratios of the
// floor's.
func BenchmarkCRDs(b *testing.B) {
	for _, shape := range []string{"versions", "kinds", "deep"} {
		for _, load := range []string{"none", "few", "all"} {
			b.Run(shape+"/"+load, func(b *testing.B) { benchmarkMerge(b, shape+"-"+load, 10) })
		}
	}
}

// BenchmarkApply prints time and peak memory of an apply of 5,000 live objects as ratios
// of the floor's, for 1 % and all of them changed.
func BenchmarkApply(b *testing.B) {
	for _, load := range []string{"few", "all"} {
		b.Run(load, func(b *testing.B) { benchmarkMerge(b, "live-"+load, 5000) })
	}
}

// BenchmarkPerResource prints the time for each of 5,000 resources as a ratio
// of that for each of 100. Both merge 5,000.
func BenchmarkPerResource(b *testing.B) {
	for _, shape := range []string{"few", "all", "json"} {
		b.Run(shape, func(b *testing.B) {
			large, small := ours(b, list(b, shape, 5000)), ours(b, list(b, shape, 100))
			b.ReportMetric(ratio(b, large, times(50, small)), "5000/100")
		})
	}
}

// BenchmarkLinear prints the time for a list as a ratio of that for a list of
// half the size: 2 is linear.
func BenchmarkLinear(b *testing.B) {
	for _, test := range []struct {
		shape string
		n     int
	}{{"elements", 10_000}, {"keys", 10_000}, {"document", 20_000}, {"lines", 100_000}, {"tiny", 100_000}} {
		b.Run(test.shape, func(b *testing.B) {
			whole, half := ours(b, list(b, test.shape, test.n)), ours(b, list(b, test.shape, test.n/2))
			b.ReportMetric(ratio(b, whole, half), "2x/1x")
		})
	}
}

// BenchmarkMerge3 prints the time that kyaml takes to merge a package of 1,000
// resources a side as a ratio of the function's. kyaml runs once: that takes
// half a minute.
func BenchmarkMerge3(b *testing.B) {
	dir := b.TempDir()
	if err := bench.Few().Package(dir, 1000); err != nil {
		b.Fatal(err)
	}
	merge3 := seconds(func() {
		if err := bench.Merge3(dir); err != nil {
			b.Fatal(err)
		}
	})
	run := ours(b, list(b, "few", 1000))
	run()
	var took []float64
	for b.Loop() {
		took = append(took, seconds(run))
	}
	b.ReportMetric(merge3/median(took), "merge3/ours")
	b.ReportMetric(0, "ns/op")
}

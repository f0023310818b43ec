package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/load"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// count is how many requests a load has: 1,000, or what PORCH_REQUESTS says.
func count(t *testing.T) int {
	t.Helper()
	text := os.Getenv("PORCH_REQUESTS")
	if text == "" {
		return 1000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLoad sends thousands of package revisions of 100 copies, of all sizes, from 64
// clients at once. Each answer must be that of a single run, and the memory of the
// server and of its children must be level.
func TestLoad(t *testing.T) {
	for name, dir := range map[string]string{"upstream in the list": "", "upstream in dir": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			server, n := startServer(t), count(t)
			requests := requestsOf(t, 100, dir)
			out, err := load.Run(t.Context(), server, requests, n, clients)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range out.Faults[:min(5, len(out.Faults))] {
				t.Error(fault)
			}
			if out.Right != n {
				t.Errorf("%d of %d answers are right", out.Right, n)
			}
			isLevel(t, out.Usage)
			isIdle(t, server)
		})
	}
}

// requestsOf returns the requests of so many copies, with the results of single runs.
// One in ten is large. Upstream's versions are in the list, or in a directory.
func requestsOf(t *testing.T, copies int, dir string) []load.Request {
	t.Helper()
	requests := make([]load.Request, copies)
	for i := range requests {
		list := listOf(t, i, 1+i%5+i%10/9*20, dir)
		requests[i] = load.Request{List: list, Want: alone(t, list)}
	}
	return requests
}

// listOf is the list of a copy.
func listOf(t *testing.T, number, components int, dir string) []byte {
	t.Helper()
	list, err := fleet.Numbered(number, components, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// isLevel fails if the server took more memory in the last third of a load than in the
// first by half, or its children twice as much: up to 64 run, of large copies or small.
func isLevel(t *testing.T, samples []wrapper.Usage) {
	t.Helper()
	third := len(samples) / 3
	if third < 3 {
		t.Fatalf("the load was sampled %d times", len(samples))
	}
	for _, part := range []struct {
		name  string
		bytes func(wrapper.Usage) int64
		bound float64
	}{
		{"the server", func(u wrapper.Usage) int64 { return u.Server }, 1.5},
		{"its children", func(u wrapper.Usage) int64 { return u.Children }, 2},
	} {
		first, last := most(samples[:third], part.bytes), most(samples[len(samples)-third:], part.bytes)
		t.Logf("the most memory of %s: %d MB in the first third, %d MB in the last", part.name, first>>20, last>>20)
		if float64(last) > part.bound*float64(first) {
			t.Errorf("%s grew from %d to %d bytes", part.name, first, last)
		}
	}
}

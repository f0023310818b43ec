package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlot draws made-up points and looks for the parts of the plot that a reader needs.
func TestPlot(t *testing.T) {
	points := func(factor float64) []point {
		var all []point
		for _, n := range []int{10, 100, 1000, 5000} {
			all = append(all, point{n, measure{Seconds: factor * (0.01 + float64(n)/1000)}})
		}
		return all
	}
	r := result{loads: []load{{name: "few", points: map[string][]point{
		nameOurs: points(0.04), nameFloor: points(1.3), nameMerge3: points(9)[:3], nameKpt: points(14)[:3],
	}}}}
	file := filepath.Join(t.TempDir(), "plot.svg")
	if err := writePlot(file, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{nameOurs, nameFloor, nameMerge3, nameKpt, "resources a side", "time", ">1,000<", "10 ms", "10 s"} {
		if !strings.Contains(string(data), text) {
			t.Errorf("the plot lacks %q", text)
		}
	}
}

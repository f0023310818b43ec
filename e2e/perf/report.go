package main

import (
	"fmt"
	"strings"
)

// text is the part of performance.md that is measured.
func (r result) text() string {
	return strings.Join([]string{
		"As ratios of the floor:\n\n" + r.ratios(),
		"Beside other programs, and by size:\n\n" + r.others(),
		"In absolute numbers, time and peak memory of the whole program:\n\n" + r.absolute(),
		fmt.Sprintf("Medians of up to %d runs on %s.\n", r.runs, machine()),
	}, "\n")
}

// meaning says what a load is, and what ratios of the floor's time and memory
// are its targets.
func meaning(load string) (text, time, memory string) {
	switch load {
	case "few":
		return "1 % changed upstream, 5 % locally", "0.05", "0.10"
	case "all":
		return "all changed on both sides", "0.40", "0.40"
	}
	return "1 % and 5 %, as JSON", "0.40", "0.40"
}

// ratios is the table of ours to the floor.
func (r result) ratios() string {
	t := newTable("load", "resources a side", "time", "target", "peak memory", "target")
	for _, l := range r.loads {
		text, time, memory := meaning(l.name)
		for _, n := range r.sizes {
			ours, ok := l.at(nameOurs, n)
			floor, okFloor := l.at(nameFloor, n)
			if ok && okFloor {
				t.row(text, thousands(n), ratio(ours.Seconds, floor.Seconds), target(time, n),
					ratio(ours.Bytes, floor.Bytes), target(memory, n))
			}
		}
	}
	return t.b.String()
}

// target is a target if there is one at a size: below 100 resources, start-up is
// most of the time.
func target(text string, n int) string {
	if n < 100 {
		return ""
	}
	return text
}

func ratio(a, b float64) string { return fmt.Sprintf("%.3f", a/b) }

// others is the table of what is compared with something other than the floor.
func (r result) others() string {
	t := newTable("measure", "value", "target")
	few := r.loads[0]
	r.versus(t, few, nameMerge3, "at least 200")
	r.versus(t, few, nameKpt, "")
	for _, l := range r.loads {
		r.perResource(t, l)
	}
	for _, g := range r.linear {
		t.row("time for "+g.what+", to half of it", fmt.Sprintf("%.2f", g.whole.Seconds/g.half.Seconds), "about 2")
	}
	over := fmt.Sprintf("%.1f ms", 1e3*(r.startup.Seconds-r.empty.Seconds))
	t.row("start-up: one resource a side, less an empty Go program", over, "at most 8 ms")
	t.row("the binary, stripped", fmt.Sprintf("%.1f MB", float64(r.binary)/1e6), "below 15 MB")
	return t.b.String()
}

// versus compares another program at the largest size that both have.
func (r result) versus(t *table, l load, other, target string) {
	points := l.points[other]
	if len(points) == 0 {
		return
	}
	last := points[len(points)-1]
	if ours, ok := l.at(nameOurs, last.n); ok {
		what := fmt.Sprintf("time of %s to ours, %s resources a side", other, thousands(last.n))
		t.row(what, fmt.Sprintf("%.0f", last.Seconds/ours.Seconds), target)
	}
}

// perResource compares the time for each resource at 5,000 and at 100, without
// what start-up takes.
func (r result) perResource(t *table, l load) {
	large, ok := l.at(nameOurs, 5000)
	small, okSmall := l.at(nameOurs, 100)
	if !ok || !okSmall {
		return
	}
	each := func(m measure, n float64) float64 { return (m.Seconds - r.startup.Seconds) / n }
	text, _, _ := meaning(l.name)
	t.row("time per resource at 5,000 to that at 100, "+text, fmt.Sprintf("%.2f", each(large, 5000)/each(small, 100)), "at most 1.3")
}

// absolute is the table of times and memory.
func (r result) absolute() string {
	t := newTable(append([]string{"load", "resources a side"}, names()...)...)
	for _, l := range r.loads {
		text, _, _ := meaning(l.name)
		for _, n := range r.sizes {
			t.row(append([]string{text, thousands(n)}, l.cells(n)...)...)
		}
	}
	for _, g := range r.linear {
		t.row(g.what, "", "", "", "", cell(g.whole))
	}
	t.row("start-up: one resource a side", "1", "", "", "", cell(r.startup))
	t.row("an empty Go program", "", "", "", "", cell(r.empty))
	return t.b.String()
}

// cells are the measures of all contenders at a size, empty where there is none.
func (l load) cells(n int) []string {
	var cells []string
	for _, name := range names() {
		text := ""
		if m, ok := l.at(name, n); ok {
			text = cell(m)
		}
		cells = append(cells, text)
	}
	return cells
}

func cell(m measure) string { return duration(m.Seconds) + ", " + megabytes(m.Bytes) }

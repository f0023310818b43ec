package main

import (
	"fmt"
	"strings"
)

// text is the part of benchmark.md that is measured.
func (r result) text() string {
	return strings.Join([]string{
		"As ratios of the floor:\n\n" + r.ratios(),
		"Packages of large CRDs, as ratios of the floor:\n\n" + r.onCRDs(),
		"The strategy apply, as ratios of the floor:\n\n" + r.onLive(),
		"Beside other programs, and by size:\n\n" + r.others(),
		"In absolute numbers, time and peak memory of the whole program:\n\n" + r.absolute(),
		"The same of merges of files, which write the result:\n\n" + r.besideGit(),
		fmt.Sprintf("Medians of up to %d runs on %s.\n", r.runs, machine()),
	}, "\n")
}

// meaning describes a load.
func meaning(load string) string {
	switch load {
	case "few":
		return "1 % changed upstream, 5 % locally"
	case "all":
		return "all changed on both sides"
	}
	return "1 % and 5 %, as JSON"
}

// targets are the wanted ratios to the floor's time and memory for a load at a size, ""
// where rules/reading: linear time has none: below 100 resources, start-up is most of
// the time.
func targets(load string, n int) (time, memory string) {
	switch {
	case load == "few" && n >= 1000:
		return "0.015", "0.03"
	case load == "few" && n >= 100:
		return "0.05", "0.10"
	case load == "all" && n >= 1000:
		return "0.12", "0.05"
	case load == "json" && n >= 1000:
		return "0.25", "0.20"
	}
	return "", ""
}

// ratios is the table of ours to the floor.
func (r result) ratios() string {
	t := newTable("load", "resources a side", "time", "target", "peak memory", "target")
	for _, l := range r.loads {
		for _, n := range r.sizes {
			time, memory := targets(l.name, n)
			ours, ok := l.at(nameOurs, n)
			floor, okFloor := l.at(nameFloor, n)
			if ok && okFloor {
				t.row(meaning(l.name), thousands(n), ratio(ours.Seconds, floor.Seconds), time, ratio(ours.Bytes, floor.Bytes), memory)
			}
		}
	}
	return t.b.String()
}

func ratio(a, b float64) string { return fmt.Sprintf("%.3f", a/b) }

// others is the table of the comparisons with anything but the floor.
func (r result) others() string {
	t := newTable("measure", "value", "target")
	few := r.loads[0]
	r.versus(t, few, nameMerge3, "at least 600")
	r.versus(t, few, nameKpt, "at least 600")
	r.onDirectories(t, few)
	t.row("time of one file as a merge driver, to git merge-file", fmt.Sprintf("%.1f", r.driver.ours.Seconds/r.driver.theirs.Seconds), "at most 3")
	for _, l := range r.loads {
		r.perResource(t, l)
	}
	for _, g := range r.linear {
		t.row("time for "+g.what+", to half of it", fmt.Sprintf("%.2f", g.whole.Seconds/g.half.Seconds), "about 2")
	}
	over := fmt.Sprintf("%.1f ms", 1e3*(r.startup.Seconds-r.empty.Seconds))
	t.row("start-up: one resource a side, less an empty Go program", over, "at most 4 ms")
	t.row("the binary, stripped", fmt.Sprintf("%.1f MB", float64(r.binary)/1e6), "below 20 MB")
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
	t.row("time per resource at 5,000 to that at 100, "+meaning(l.name), fmt.Sprintf("%.2f", each(large, 5000)/each(small, 100)), "at most 1.3")
}

// onDirectories compares merges of directories with git's, and that with few changes
// with kpt's, whose measure is of the same files.
func (r result) onDirectories(t *table, few load) {
	for i, v := range r.directories {
		what := fmt.Sprintf("%s files a side in directories, %s", thousands(v.n), v.what)
		t.row("time of merge --write to git merge, "+what, fmt.Sprintf("%.1f", v.ours.Seconds/v.theirs.Seconds), "at most 2")
		if kpt, ok := few.at(nameKpt, v.n); ok && i == 0 {
			t.row("time of kpt pkg update to merge --write, "+what, fmt.Sprintf("%.0f", kpt.Seconds/v.ours.Seconds), "at least 100")
		}
	}
}

// besideGit is the table of times and memory of merges of files, beside git.
func (r result) besideGit() string {
	t := newTable("files", "git", nameOurs)
	for _, v := range r.directories {
		t.row(fmt.Sprintf("%s a side, %s: git merge", thousands(v.n), v.what), cell(v.theirs), cell(v.ours))
	}
	t.row("one file: git merge-file", cell(r.driver.theirs), cell(r.driver.ours))
	return t.b.String()
}

// absolute is the table of times and memory.
func (r result) absolute() string {
	t := newTable(append([]string{"load", "resources a side"}, names()...)...)
	for _, l := range r.loads {
		for _, n := range r.sizes {
			t.row(append([]string{meaning(l.name), thousands(n)}, l.cells(n)...)...)
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

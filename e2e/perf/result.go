package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// point is a contender's measure at a size.
type point struct {
	n int
	measure
}

// result is all that was measured.
type result struct {
	sizes   []int
	runs    int
	loads   []load
	linear  []growth
	startup measure // of a list of one resource a side
	empty   measure
	binary  int64
	// directories are merges of directories beside git merge, and driver is that of one
	// file beside git merge-file.
	directories []versus
	driver      versus
	crds        []aboutCRDs
	live        []aboutLive
}

// load is the points of each contender on one load, by name.
type load struct {
	name   string
	points map[string][]point
}

// growth is the time for a large list and for one of half the size.
type growth struct {
	what        string
	whole, half measure
}

// names are the contenders in the order of the tables and the plot.
func names() []string { return []string{nameKpt, nameMerge3, nameFloor, nameOurs} }

// at is the measure of a contender at a size.
func (l load) at(name string, n int) (measure, bool) {
	for _, p := range l.points[name] {
		if p.n == n {
			return p.measure, true
		}
	}
	return measure{}, false
}

func (b *bench) measureAll() (result, error) {
	r := result{sizes: b.sizes, runs: b.runs}
	info, err := os.Stat(filepath.Join(b.bin, "resource-merge"))
	if err != nil {
		return r, err
	}
	r.binary = info.Size()
	if r.startup, r.empty, err = b.measureStartup(); err != nil {
		return r, err
	}
	if r.loads, err = b.measureLoads(); err != nil {
		return r, err
	}
	if r.crds, err = b.measureCRDs(); err != nil {
		return r, err
	}
	if r.live, err = b.measureLive(); err != nil {
		return r, err
	}
	if r.directories, err = b.measureDirectories(); err != nil {
		return r, err
	}
	if r.driver, err = b.measureDriver(); err != nil {
		return r, err
	}
	r.linear, err = b.measureGrowth()
	return r, err
}

// measureStartup measures a list of one resource a side and an empty program,
// with more runs than others: they are short.
func (b *bench) measureStartup() (startup, empty measure, err error) {
	many := *b
	many.runs *= 8
	if startup, err = many.measure(b.ours("few"), 1); err != nil {
		return startup, empty, err
	}
	nothing := contender{name: "empty", command: []string{"empty"}, lay: func(string, int) error { return nil }}
	empty, err = many.measure(nothing, 0)
	return startup, empty, err
}

// measureLoads measures ours and the floor on every load, and the others on the
// first.
func (b *bench) measureLoads() ([]load, error) {
	var loads []load
	for _, name := range []string{"few", "all", "json"} {
		contenders := b.onLists(name)
		if name == "few" {
			contenders = append(contenders, b.onPackages()...)
		}
		l := load{name: name, points: map[string][]point{}}
		for _, c := range contenders {
			points, err := b.measureSizes(c)
			if err != nil {
				return nil, fmt.Errorf("load %s: %w", name, err)
			}
			l.points[c.name] = points
		}
		loads = append(loads, l)
	}
	return loads, nil
}

// measureSizes measures a contender at all sizes up to its limit, and up to the
// first that took longer than the cap.
func (b *bench) measureSizes(c contender) ([]point, error) {
	var points []point
	for _, n := range b.sizes {
		if c.limit > 0 && n > c.limit {
			break
		}
		m, err := b.measure(c, n)
		if err != nil {
			return nil, err
		}
		points = append(points, point{n, m})
		if m.Seconds > b.cap.Seconds() {
			break
		}
	}
	return points, nil
}

// measureGrowth measures lists whose parts are large or many, and half of each.
func (b *bench) measureGrowth() ([]growth, error) {
	var all []growth
	for _, test := range []struct {
		shape, what string
		n           int
	}{
		{"elements", "a keyed list of %s elements", 100_000},
		{"keys", "a ConfigMap of %s keys", 100_000},
		{"document", "a document of %s KB", 20_000},
		{"lines", "a text of %s lines, 12 MB, every second one changed", 400_000},
		{"tiny", "%s tiny resources a side", 100_000},
		{"annotations", "a ConfigMap of %s annotations", 20_000},
		{"keys with anchors", "a ConfigMap of %s anchors", 20_000},
		{"keys that are conflicts", "a ConfigMap of %s conflicts", 10_000},
		{"rules", "%s resources and rules of the config", 4_000},
		{"lists", "%s resources and lists of the config that none has", 4_000},
		{"all renamed upstream and changed locally", "%s resources that upstream renamed", 5_000},
		{"apply of elements", "an apply of %s ports that somebody changed", 4_000},
	} {
		n := max(2, test.n*b.linear/100)
		whole, err := b.measure(b.ours(test.shape), n)
		if err != nil {
			return nil, err
		}
		half, err := b.measure(b.ours(test.shape), n/2)
		if err != nil {
			return nil, err
		}
		all = append(all, growth{fmt.Sprintf(test.what, thousands(n)), whole, half})
	}
	return all, nil
}

package main

import "fmt"

// aboutLive is an apply, and how many of the live objects it changes.
type aboutLive struct {
	shape, what string
	n           int
	ours, floor measure
}

// measureLive measures ours and the floor on live objects and their config.
func (b *bench) measureLive() ([]aboutLive, error) {
	n := max(1, 50*b.linear)
	all := []aboutLive{{shape: "live-few", what: "1 % changed", n: n}, {shape: "live-all", what: "all changed", n: n}}
	for i := range all {
		a := &all[i]
		contenders := b.onLists(a.shape)
		for j, m := range []*measure{&a.ours, &a.floor} {
			var err error
			if *m, err = b.measure(contenders[j], n); err != nil {
				return nil, fmt.Errorf("apply, %s: %w", a.what, err)
			}
		}
	}
	return all, nil
}

// onLive is the table of applies.
func (r result) onLive() string {
	t := newTable("apply", "time", "target", "peak memory", "floor", nameOurs)
	for _, a := range r.live {
		t.row(fmt.Sprintf("apply, %s live objects, %s", thousands(a.n), a.what), ratio(a.ours.Seconds, a.floor.Seconds), "0.40", ratio(a.ours.Bytes, a.floor.Bytes), cell(a.floor), cell(a.ours))
	}
	return t.b.String()
}

package main

import "fmt"

// aboutCRDs is a package of large CRDs, and how much of it is changed.
type aboutCRDs struct {
	shape, load, target string
	ours, floor         measure
}

func (a aboutCRDs) what() string {
	shape := map[string]string{
		"versions": "20 CRDs of 4 versions", "kinds": "40 CRDs of one version", "deep": "20 CRDs with deep schemas",
	}[a.shape]
	load := map[string]string{"none": "nothing changed", "few": "5 % changed on both sides", "all": "all changed on both sides"}[a.load]
	return shape + ", " + load
}

// measureCRDs measures ours and the floor on packages of CRDs.
func (b *bench) measureCRDs() ([]aboutCRDs, error) {
	var all []aboutCRDs
	n := max(1, b.linear/10)
	for _, shape := range []string{"versions", "kinds", "deep"} {
		for _, load := range [][2]string{{"none", "0.03"}, {"few", "0.10"}, {"all", "0.25"}} {
			a := aboutCRDs{shape: shape, load: load[0], target: load[1]}
			contenders := b.onLists(shape + "-" + a.load)
			for i, m := range []*measure{&a.ours, &a.floor} {
				var err error
				if *m, err = b.measure(contenders[i], n); err != nil {
					return nil, fmt.Errorf("%s: %w", a.what(), err)
				}
			}
			all = append(all, a)
		}
	}
	return all, nil
}

// onCRDs is the table of packages of CRDs.
func (r result) onCRDs() string {
	t := newTable("package", "time", "target", "peak memory", "target", "floor", nameOurs)
	for _, a := range r.crds {
		t.row(a.what(), ratio(a.ours.Seconds, a.floor.Seconds), a.target, ratio(a.ours.Bytes, a.floor.Bytes), "0.10", cell(a.floor), cell(a.ours))
	}
	return t.b.String()
}

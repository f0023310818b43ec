package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/manifest"
)

// encodings count the resources that came out of the encoder, within or whole, as no
// text has them.
type encodings struct {
	items, within, whole int
	reasons              map[manifest.Encoding]int
}

// encoded merges every package with every fork, and prints the number of resources that
// the encoder wrote in part or whole, with the reasons.
func (o options) encoded(w io.Writer, packages []pkg, forks []fork) error {
	var b strings.Builder
	writeRow(&b, []string{"package", "resources", "with an encoded field", "encoded whole"})
	b.WriteString("|---|---:|---:|---:|\n")
	all := encodings{reasons: map[manifest.Encoding]int{}}
	for _, p := range packages {
		one := encodings{reasons: map[manifest.Encoding]int{}}
		for _, f := range forks {
			if err := o.countEncoded(&one, p, f); err != nil {
				return fmt.Errorf("%s, %s: %w", p.name, f.name, err)
			}
		}
		writeRow(&b, one.cells(p.name))
		all.add(one)
	}
	writeRow(&b, all.cells("all"))
	b.WriteString("\n" + all.table())
	_, err := io.WriteString(w, b.String())
	return err
}

// countEncoded counts one merge.
func (o options) countEncoded(into *encodings, p pkg, f fork) error {
	r := row{pkg: p, fork: f.name}
	v, err := r.prepare(f)
	if err != nil {
		return err
	}
	dir, done, err := o.workplace(p, f)
	if err != nil {
		return err
	}
	defer done()
	items, err := sent(v, v.local.files, filepath.Join(dir, "encoded"))
	if err != nil {
		return err
	}
	in, err := listOf(items)
	if err != nil {
		return err
	}
	told, err := command.Encodings(in)
	for _, item := range told {
		into.count(item)
	}
	return err
}

func (e *encodings) count(item []manifest.Encoding) {
	e.items++
	switch whole := func(t manifest.Encoding) bool { return t.What == "resource" }; {
	case slices.ContainsFunc(item, whole):
		e.whole++
	case len(item) > 0:
		e.within++
	}
	for _, t := range item {
		e.reasons[t]++
	}
}

func (e *encodings) add(other encodings) {
	e.items, e.within, e.whole = e.items+other.items, e.within+other.within, e.whole+other.whole
	for t, n := range other.reasons {
		e.reasons[t] += n
	}
}

func (e encodings) cells(name string) []string {
	return []string{name, fmt.Sprint(e.items), fmt.Sprint(e.within), fmt.Sprint(e.whole)}
}

// table lists what was encoded and why, the commonest first.
func (e encodings) table() string {
	var b strings.Builder
	writeRow(&b, []string{"encoded", "because", "times"})
	b.WriteString("|---|---|---:|\n")
	kinds := slices.SortedFunc(maps.Keys(e.reasons), func(x, y manifest.Encoding) int {
		if e.reasons[x] != e.reasons[y] {
			return e.reasons[y] - e.reasons[x]
		}
		return strings.Compare(x.What+x.Why, y.What+y.Why)
	})
	for _, t := range kinds {
		writeRow(&b, []string{t.What, t.Why, fmt.Sprint(e.reasons[t])})
	}
	return b.String()
}

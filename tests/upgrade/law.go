package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// law merges every package with every fork by each way out, and prints in how many places a
// change was lost or invented without a conflict (docs/testing.md): in none, or it is an
// error.
func (o options) law(w, log io.Writer, packages []pkg, forks []fork) error {
	var b strings.Builder
	writeRow(&b, append([]string{"lost or invented without a conflict, in", "fork"}, ways.Names()...))
	b.WriteString("|---|---|" + strings.Repeat("---:|", len(ways.Names())) + "\n")
	found := 0
	for _, p := range packages {
		for _, f := range forks {
			r := row{pkg: p, fork: f.name}
			v, err := r.prepare(f)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.name, f.name, err)
			}
			cells := []string{p.name, f.name}
			for _, way := range ways.Names() {
				objections, err := objectionsTo(way, v)
				if err != nil {
					return fmt.Errorf("%s, %s, %s: %w", p.name, f.name, way, err)
				}
				if o.verbose {
					for _, text := range objections {
						fmt.Fprintf(log, "%s %s %s: %s\n", p.name, f.name, way, text)
					}
				}
				found += len(objections)
				cells = append(cells, fmt.Sprint(len(objections)))
			}
			writeRow(&b, cells)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil || found == 0 {
		return err
	}
	return fmt.Errorf("lost or invented without a conflict: %d; --verbose shows each", found)
}

// objectionsTo returns the objections of the merge checker to a way of merging.
func objectionsTo(way string, v versions) (out []string, err error) {
	all, err := ways.Merge(context.Background(), way, mergecheck.Package{Origin: v.origin, Upstream: v.upstream, Local: v.local.files})
	for _, m := range all {
		out = append(out, m.Objections()...)
	}
	return out, err
}

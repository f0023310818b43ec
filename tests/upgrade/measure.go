package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// row has the measurements of a package with a fork's edits.
type row struct {
	pkg
	fork             string
	resources, edits int
	leftOut          int // files that are not YAML
	upstream, local  int // changes
	conflicts        int // places that both sides changed differently
	scores           []score
}

// score has the measurements of a contender.
type score struct {
	contender string
	failure   string
	aside     string
	left      int // conflicts left to the user, in how many files
	files     int
	told      int // conflicts that were reported
	counts    map[kindOf]int
}

// measure upgrades a fork of a package with each contender.
func (o options) measure(p pkg, f fork, log io.Writer) (row, error) {
	r := row{pkg: p, fork: f.name}
	v, err := r.prepare(f)
	if err != nil {
		return r, err
	}
	dir, done, err := o.workplace(p, f)
	if err != nil {
		return r, err
	}
	defer done()
	for _, c := range o.contenders() {
		made, err := c.merge(v, filepath.Join(dir, strings.Fields(c.name)[0]))
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.name, err)
		}
		s, err := r.score(c.name, v, made)
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.name, err)
		}
		r.scores = append(r.scores, s.score)
		if o.verbose {
			s.print(log, p.name+" "+f.name+" "+c.name)
		}
	}
	return r, nil
}

// workplace is a directory to work in, and what to do with it at the end.
func (o options) workplace(p pkg, f fork) (string, func(), error) {
	if o.keep == "" {
		dir, err := os.MkdirTemp("", "upgrade-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	dir := filepath.Join(o.keep, strings.ReplaceAll(p.name, "/", "_"), f.name)
	return dir, func() {}, os.RemoveAll(dir)
}

// prepare makes the three versions. Files that no program could read are left
// out of all of them.
func (r *row) prepare(f fork) (versions, error) {
	var v versions
	from, err := checkout(r.repo, r.pkg.origin, r.dir)
	if err != nil {
		return v, err
	}
	to, err := checkout(r.repo, r.pkg.upstream, r.dir)
	if err != nil {
		return v, err
	}
	var bad, worse []string
	v.origin, bad = from.readable()
	v.upstream, worse = to.readable()
	bad = slices.Compact(slices.Sorted(slices.Values(append(bad, worse...))))
	v.origin, v.upstream, r.leftOut = v.origin.without(bad), v.upstream.without(bad), len(bad)
	v.local, err = f.localise(v.origin)
	r.edits = v.local.edits
	return v, err
}

// scored is a score and what it was made of.
type scored struct {
	score
	findings []finding
}

// score compares a contender's result with the sides' changes.
func (r *row) score(name string, v versions, o outcome) (scored, error) {
	s := scored{score: score{contender: name, failure: o.failure, aside: o.aside, left: o.conflicts, files: len(o.untold), told: len(o.told), counts: map[kindOf]int{}}}
	if o.failure != "" {
		return s, nil
	}
	quads, err := quadsOf(v, o.files)
	if err != nil {
		s.failure = err.Error()
		return s, nil
	}
	r.resources, r.upstream, r.local = 0, 0, 0
	told, moved := assign(o, quads), movesOf(quads)
	for _, q := range quads {
		c := q.compare(told[q], moved)
		r.upstream, r.local = r.upstream+c.upstream, r.local+c.local
		if q.versions[local] != nil {
			r.resources++
		}
		s.findings = append(s.findings, c.findings...)
	}
	s.findings = append(s.findings, lostReports(told[nil])...)
	s.findings = append(s.findings, doubled(quads, moved)...)
	for _, name := range o.broken {
		s.findings = append(s.findings, finding{invalid, name, "cannot be read"})
	}
	extra, err := extraLines(quads, o.before)
	if err != nil {
		return s, err
	}
	s.findings = append(s.findings, extra...)
	if o.unstable {
		s.findings = append(s.findings, finding{invalid, "", "merged again, the result changes"})
	}
	for _, f := range s.findings {
		s.counts[f.kind]++
	}
	r.conflicts = s.counts[conflicting]
	return s, nil
}

// quadsOf matches the four versions.
func quadsOf(v versions, files tree) ([]*quad, error) {
	to, err := v.upstream.resources()
	if err != nil {
		return nil, err
	}
	out, err := files.resources()
	return match([4][]*resource{origin: v.local.from, upstream: to, local: v.local.resources, result: out}), err
}

func (s scored) print(w io.Writer, title string) {
	if s.failure != "" {
		fmt.Fprintf(w, "%s: failed: %s\n", title, s.failure)
	}
	for _, f := range s.findings {
		fmt.Fprintf(w, "%s: %s: %s: %s\n", title, f.kind, f.path, f.text)
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/history"
)

// score is a program's result over the files.
type score struct {
	// merged files have no conflict, equal ones say the same as the people's commit, and broken ones
	// lost or invented something without a conflict. read are the files that the program could read.
	read, merged, equal, broken int
	// markers are the conflicts left in the files.
	markers int
	time    time.Duration
}

// row is the outcome of a fork's upgrades.
type row struct {
	name            string
	upgrades, files int
	git, kpt, rm    score
	// decided are the markers of git in whose place resource-merge has none.
	decided int
	// rules are the decisions of merge in the upgrades of a copy.
	rules history.Scores
}

func (s *score) add(t score) {
	s.read, s.merged, s.equal, s.broken = s.read+t.read, s.merged+t.merged, s.equal+t.equal, s.broken+t.broken
	s.markers, s.time = s.markers+t.markers, s.time+t.time
}

func (r *row) add(s row) {
	r.upgrades, r.files, r.decided = r.upgrades+s.upgrades, r.files+s.files, r.decided+s.decided
	r.git.add(s.git)
	r.kpt.add(s.kpt)
	r.rm.add(s.rm)
}

// count counts the result of one file with its number of conflicts; marked says that the text beside them is
// checked too.
func (s *score) count(v versions, result []byte, conflicts int, marked bool) (objections []string) {
	s.read++
	s.markers += conflicts
	if conflicts == 0 {
		s.merged++
		if history.Agree(result, v.people) {
			s.equal++
		}
	}
	if conflicts > 0 && !marked {
		return nil
	}
	objections = history.Broken(v.path, v.noBase, history.Texts{Base: v.base, Ours: v.ours, Theirs: v.theirs, Result: result}, false)
	if len(objections) > 0 {
		s.broken++
	}
	return objections
}

// versions are the versions of a file.
type versions struct {
	path                       string
	noBase                     bool
	base, ours, theirs, people []byte
}

// measure merges the upgrades of a fork again.
func (o options) measure(ctx context.Context, f fork, stderr io.Writer) (row, error) {
	r := row{name: f.name, rules: history.Scores{}}
	if o.rules && f.merged() {
		return r, nil
	}
	d, err := open(ctx, f)
	if err != nil {
		return r, err
	}
	defer d.close()
	upgrades, err := d.list(ctx, f)
	if err != nil {
		return r, err
	}
	if o.lists != "" && !f.merged() {
		return r, d.writeList(ctx, f, upgrades, filepath.Join(o.lists, f.name))
	}
	if o.limit > 0 && len(upgrades) > o.limit {
		upgrades = upgrades[len(upgrades)-o.limit:]
	}
	seen := map[[3]string]bool{}
	for _, u := range upgrades {
		var files []versions
		for _, file := range u.files {
			if key := [3]string{file.Base, file.Ours, file.Theirs}; !seen[key] {
				seen[key] = true
				v, err := d.read(file)
				if err != nil {
					return r, err
				}
				files = append(files, v)
			}
		}
		if len(files) == 0 {
			continue
		}
		if o.rules {
			for _, v := range files {
				if err := countRules(ctx, r.rules, v, stderr); err != nil {
					return r, err
				}
			}
			continue
		}
		one := row{upgrades: 1}
		if err := o.upgrade(ctx, &one, files, stderr); err != nil {
			return r, fmt.Errorf("%.12s: %w", u.commit, err)
		}
		if o.verbose {
			fmt.Fprintf(stderr, "%s %.12s: %d files, markers %d git, %d resource-merge\n", f.name, u.commit, one.files, one.git.markers, one.rm.markers)
		}
		r.add(one)
	}
	return r, nil
}

// upgrade merges the files of one upgrade.
func (o options) upgrade(ctx context.Context, r *row, files []versions, stderr io.Writer) error {
	merged := files[:0:0]
	for _, v := range files {
		binary, err := r.file(ctx, v, o, stderr)
		if err != nil {
			return err
		}
		if !binary {
			merged = append(merged, v)
		}
	}
	if o.kpt == "" {
		return nil
	}
	return r.kpt.mergeByKpt(ctx, o.kpt, merged)
}

// file merges one file by git's lines and by the driver.
func (r *row) file(ctx context.Context, v versions, o options, stderr io.Writer) (binary bool, err error) {
	in := command.FileVersions{Path: v.path, NoBase: v.noBase}
	in.Texts = [3][]byte{command.Ours: v.ours, command.Base: v.base, command.Theirs: v.theirs}
	format := command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}}
	start := time.Now()
	lines, conflicts, err := command.MergeLines(ctx, in, format)
	if err != nil {
		return true, nil
	}
	r.git.time += time.Since(start)
	start = time.Now()
	m, err := command.MergeFile(ctx, in, format)
	if err != nil {
		return false, err
	}
	r.rm.time += time.Since(start)
	r.files++
	r.decided += max(0, conflicts-m.Conflicts)
	r.git.count(v, lines, conflicts, false)
	objections := r.rm.count(v, m.Text, m.Conflicts, true)
	if m.Reason != "" && len(objections) > 0 { // left to git, which counts it
		r.rm.broken--
	} else if o.verbose && len(objections) > 0 {
		fmt.Fprintf(stderr, "%s: %s\n", v.path, objections[0])
	}
	return false, nil
}

// open opens the repositories of a fork.
func open(ctx context.Context, f fork) (*finder, error) {
	d := &finder{texts: map[string][]byte{}, lines: map[string]map[string]int{}, shared: map[[2]string]int{}}
	var err error
	if d.fork, err = history.Open(ctx, f.repo); err != nil || f.merged() {
		return d, err
	}
	d.upstream, err = history.Open(ctx, f.upstream)
	return d, err
}

func (d *finder) close() {
	d.fork.Close()
	if d.upstream != nil {
		d.upstream.Close()
	}
}

// list returns the upgrades of a fork, or its merges.
func (d *finder) list(ctx context.Context, f fork) (out []upgrade, err error) {
	if !f.merged() {
		return d.upgrades(ctx, f)
	}
	merges, err := d.fork.Merges(ctx, 0)
	if err != nil {
		return nil, err
	}
	for i := len(merges) - 1; i >= 0; i-- {
		files, err := d.fork.Files(ctx, merges[i])
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			out = append(out, upgrade{commit: merges[i].Commit, files: files})
		}
	}
	return out, nil
}

// read reads the versions of a file.
func (d *finder) read(f history.File) (v versions, err error) {
	v = versions{path: f.Path, noBase: f.Base == ""}
	for text, id := range map[*[]byte]string{&v.base: f.Base, &v.ours: f.Ours, &v.theirs: f.Theirs, &v.people: f.Merged} {
		if *text, err = d.blob(id); err != nil {
			return v, err
		}
	}
	return v, nil
}

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/history"
)

// tally counts what came of a repository's merges.
type tally struct {
	name string
	// settings are the driver's.
	settings command.Settings
	// each takes a line for each merged file.
	each io.Writer
	// merges of two parents, and files that both sides changed.
	merges, files int
	// conflicts are the files that git leaves in conflict, markers and lines what is in them.
	conflicts, markers, lines int
	// gone are the markers of git in whose place the driver has none.
	gone int
	// solved are the files of conflicts that the driver merges, agreed the ones that it merges
	// as the people did, ordered the ones that it merges so but for the order.
	solved, agreed, ordered int
	// conflictsLeft are the files of conflicts that the driver leaves in conflict too.
	conflictsLeft, markersLeft, linesLeft int
	// worse have a conflict where git has none; mended are merged otherwise than git
	// did, as the people had it, and otherwise as they had it neither.
	worse, mended, otherwise int
	// wrong are the files in which git's merge, without a conflict, lost or invented a change;
	// wrongAsPeople the ones where people had git's result, wrongMended the ones where they had
	// the driver's.
	wrong, wrongAsPeople, wrongMended int
	// broken are the files in which the driver lost or invented something without a conflict.
	broken int
	// rules are the decisions that the driver told, by rule, and kinds the conflicts of git's that it settled, by kind.
	rules, kinds history.Scores
	findings     []finding
}

func newTally(name string) tally {
	return tally{name: name, rules: history.Scores{}, kinds: history.Scores{}}
}

func (t *tally) add(u tally) {
	for _, sum := range [][2]*int{
		{&t.merges, &u.merges}, {&t.files, &u.files}, {&t.conflicts, &u.conflicts}, {&t.markers, &u.markers},
		{&t.lines, &u.lines}, {&t.gone, &u.gone}, {&t.solved, &u.solved}, {&t.agreed, &u.agreed}, {&t.ordered, &u.ordered},
		{&t.conflictsLeft, &u.conflictsLeft}, {&t.markersLeft, &u.markersLeft}, {&t.linesLeft, &u.linesLeft},
		{&t.worse, &u.worse}, {&t.mended, &u.mended}, {&t.otherwise, &u.otherwise},
		{&t.wrong, &u.wrong}, {&t.wrongAsPeople, &u.wrongAsPeople}, {&t.wrongMended, &u.wrongMended}, {&t.broken, &u.broken},
	} {
		*sum[0] += *sum[1]
	}
	t.rules.Add(u.rules)
	t.kinds.Add(u.kinds)
	t.findings = append(t.findings, u.findings...)
}

func printHead(w io.Writer) {
	fmt.Fprintln(w, "| repository | merges | files | git: in conflict, markers, lines | driver: in conflict, markers, lines | git's markers gone | merged | as the people | in another order | otherwise | clean in git, other than git | git wrong without a conflict, people as git, people as the driver | conflict where git had none | lost or invented without a conflict |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
}

func (t tally) print(w io.Writer) {
	fmt.Fprintf(w, "| %s | %d | %d | %d, %d, %d | %d, %d, %d | %d | %d | %d | %d | %d | %d | %d, %d, %d | %d | %d |\n",
		t.name, t.merges, t.files, t.conflicts, t.markers, t.lines, t.conflictsLeft, t.markersLeft, t.linesLeft,
		t.gone, t.solved, t.agreed, t.ordered, t.solved-t.agreed-t.ordered, t.mended+t.otherwise, t.wrong, t.wrongAsPeople, t.wrongMended, t.worse, t.broken)
}

// printScores prints the decisions by rule, and the settled conflicts of git's by kind.
func (t tally) printScores(w io.Writer) {
	t.rules.Print(w, "rule")
	t.kinds.Print(w, "git's conflicts that are gone")
}

// list lists what is to be looked at.
func (t tally) list(w io.Writer) {
	for _, f := range t.findings {
		fmt.Fprintf(w, "%s: %s in %.12s\n", f.what, f.Path, f.Merge.Commit)
	}
}

// dump writes the versions of the findings, a directory each.
func (t tally) dump(dir string) error {
	for _, f := range t.findings {
		to := filepath.Join(dir, strings.ReplaceAll(f.kind(), " ", "-"), fmt.Sprintf("%s-%.8s-%s", t.name, f.Merge.Commit, strings.ReplaceAll(f.Path, "/", "_")))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		for name, text := range f.texts {
			if err := os.WriteFile(filepath.Join(to, name+".yaml"), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameOf is the name of a repository: the last part of its directory that says
// anything.
func nameOf(repository string) string {
	dir, err := filepath.Abs(repository)
	if err != nil {
		return repository
	}
	base := filepath.Base(dir)
	if base == "repo" || base == ".git" {
		base = filepath.Base(filepath.Dir(dir))
	}
	return base
}

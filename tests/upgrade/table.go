package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTable writes the rows as Markdown, with their sum and the notes.
func writeTable(w io.Writer, rows []row) error {
	var b strings.Builder
	head := []string{"package", "from, to", "fork", "resources", "changes upstream / local", "both"}
	for _, s := range rows[0].scores {
		head = append(head, s.heads()...)
	}
	writeRow(&b, head)
	b.WriteString("|" + strings.Repeat("---|", 3) + strings.Repeat("---:|", len(head)-3) + "\n")
	for _, r := range append(rows, sum(rows)) {
		writeRow(&b, r.cells())
	}
	var notes []string
	for _, r := range rows {
		for _, n := range r.notes() {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
				b.WriteString("\n" + n + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (r row) cells() []string {
	revisions := ""
	if r.pkg.origin != "" {
		revisions = r.pkg.origin + ", " + r.pkg.upstream
	}
	cells := []string{
		r.name, revisions, r.fork, fmt.Sprint(r.resources), fmt.Sprintf("%d / %d", r.upstream, r.local), fmt.Sprint(r.conflicts),
	}
	for _, s := range r.scores {
		cells = append(cells, s.cells()...)
	}
	return cells
}

// heads are the columns of a contender.
func (s score) heads() []string {
	switch s.contender {
	case "resource-merge":
		return []string{"told true / false", "lost local / upstream", "made up / invalid", "extra lines"}
	case "git merge":
		return []string{"git: left to you (files)", "lost local / upstream", "made up / invalid"}
	}
	return []string{"kpt: lost local / upstream", "made up / invalid", "extra lines"}
}

func (s score) cells() []string {
	if s.failure != "" {
		cells := make([]string, len(s.heads()))
		cells[0] = "failed"
		return cells
	}
	lost := fmt.Sprintf("%d / %d", s.counts[localLost], s.counts[upstreamLost])
	wrong := fmt.Sprintf("%d / %d", s.counts[madeUp], s.counts[invalid])
	extra := fmt.Sprint(s.counts[extraLine])
	switch s.contender {
	case "resource-merge":
		return []string{fmt.Sprintf("%d / %d", s.told-s.counts[falseAlarm], s.counts[falseAlarm]), lost, wrong, extra}
	case "git merge":
		return []string{fmt.Sprintf("%d (%d)", s.left, s.files), lost, wrong}
	}
	return []string{lost, wrong, extra}
}

// sum adds up rows.
func sum(rows []row) row {
	total := row{pkg: pkg{name: "all"}, scores: make([]score, len(rows[0].scores))}
	for _, r := range rows {
		total.resources, total.conflicts = total.resources+r.resources, total.conflicts+r.conflicts
		total.upstream, total.local = total.upstream+r.upstream, total.local+r.local
		for i, s := range r.scores {
			total.scores[i] = total.scores[i].and(s)
		}
	}
	return total
}

func (s score) and(other score) score {
	s.contender = other.contender
	s.left, s.files, s.told = s.left+other.left, s.files+other.files, s.told+other.told
	counts := map[kindOf]int{}
	for _, kind := range []kindOf{upstreamLost, localLost, madeUp, falseAlarm, invalid, extraLine} {
		counts[kind] = s.counts[kind] + other.counts[kind]
	}
	s.counts = counts
	return s
}

// notes are the facts of a row that have no column.
func (r row) notes() []string {
	var notes []string
	if r.leftOut > 0 {
		notes = append(notes, fmt.Sprintf("%s: files that are not YAML and were left out: %d.", r.name, r.leftOut))
	}
	for _, s := range r.scores {
		if s.failure != "" {
			notes = append(notes, fmt.Sprintf("%s: %s failed: %s", r.name, s.contender, strings.Join(strings.Fields(s.failure), " ")))
		}
		if s.aside != "" {
			notes = append(notes, fmt.Sprintf("%s: %s %s", r.name, s.contender, s.aside))
		}
	}
	return notes
}

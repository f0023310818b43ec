package main

import (
	"fmt"
	"io"
	"strings"
)

// writeTable writes the rows as Markdown.
func writeTable(w io.Writer, rows []row) error {
	var b strings.Builder
	head := []string{"package", "from, to", "fork", "resources", "edits", "changes upstream", "local", "conflicts"}
	if len(rows) > 0 {
		for _, s := range rows[0].scores {
			head = append(head, s.heads()...)
		}
	}
	writeRow(&b, head)
	b.WriteString("|" + strings.Repeat("---|", 3) + strings.Repeat("---:|", len(head)-3) + "\n")
	for _, r := range rows {
		writeRow(&b, r.cells())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (r row) cells() []string {
	cells := []string{
		r.name, r.pkg.origin + ", " + r.pkg.upstream, r.fork, number(r.resources), number(r.edits),
		number(r.upstream), number(r.local), number(r.conflicts),
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
		return []string{"told true/false", "lost local/upstream", "made up/invalid", "extra lines"}
	case "git merge":
		return []string{"git: left (files)", "lost"}
	}
	return []string{"kpt: lost local/upstream", "made up/invalid", "extra lines"}
}

func (s score) cells() []string {
	if s.failure != "" {
		cells := make([]string, len(s.heads()))
		for i := range cells {
			cells[i] = "-"
		}
		cells[0] = "failed"
		return cells
	}
	lost := fmt.Sprintf("%d/%d", s.counts[localLost], s.counts[upstreamLost])
	wrong := fmt.Sprintf("%d/%d", s.counts[madeUp], s.counts[invalid])
	extra := number(s.counts[extraLine])
	switch s.contender {
	case "resource-merge":
		return []string{fmt.Sprintf("%d/%d", s.told-s.counts[falseAlarm], s.counts[falseAlarm]), lost, wrong, extra}
	case "git merge":
		return []string{fmt.Sprintf("%d (%d)", s.left, s.files), lost}
	}
	return []string{lost, wrong, extra}
}

func number(n int) string { return fmt.Sprint(n) }

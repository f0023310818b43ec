package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// The lines of a Markdown file between which the table stands.
const begin, end = "<!-- go run ./tests/forks: begin -->\n", "<!-- go run ./tests/forks: end -->\n"

// show prints the table, or puts it into a file.
func (o options) show(w io.Writer, rows []row) error {
	table := o.table(rows)
	if o.into == "" {
		_, err := io.WriteString(w, table)
		return err
	}
	text, err := os.ReadFile(o.into)
	if err != nil {
		return err
	}
	head, rest, found := bytes.Cut(text, []byte(begin))
	_, tail, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return fmt.Errorf("%s has no lines %q and %q", o.into, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(o.into, []byte(string(head)+begin+"\n"+table+"\n"+end+string(tail)), 0o644)
}

// table is the rows and their sum as Markdown.
func (o options) table(rows []row) string {
	head := []string{"fork", "upgrades", "files",
		"git: merged", "markers", "equal", "lost or invented",
		"resource-merge: merged", "markers", "equal", "lost or invented", "conflicts decided", "time, git = 1"}
	if o.kpt != "" {
		head = append(head, "kpt: read", "equal", "lost or invented")
	}
	var b strings.Builder
	write := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	write(head)
	b.WriteString("|---|" + strings.Repeat("---:|", len(head)-1) + "\n")
	total := row{name: "all"}
	for _, r := range rows {
		write(r.cells(o.kpt != ""))
		total.add(r)
	}
	write(total.cells(o.kpt != ""))
	return b.String()
}

func (r row) cells(kpt bool) []string {
	cells := []string{r.name, fmt.Sprint(r.upgrades), fmt.Sprint(r.files)}
	for _, s := range []score{r.git, r.rm} {
		cells = append(cells, fmt.Sprint(s.merged), fmt.Sprint(s.markers), fmt.Sprint(s.equal), fmt.Sprint(s.broken))
	}
	ratio := "-"
	if r.git.time > 0 {
		ratio = fmt.Sprintf("%.1f", float64(r.rm.time)/float64(r.git.time))
	}
	cells = append(cells, fmt.Sprint(r.decided), ratio)
	if kpt {
		cells = append(cells, fmt.Sprint(r.kpt.read), fmt.Sprint(r.kpt.equal), fmt.Sprint(r.kpt.broken))
	}
	return cells
}

package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// hasPlan reports whether the steps of an apply come in waves: the package or the cluster
// has an inventory (design 15.4).
func (r *Report) hasPlan() bool { return len(r.Steps) > 0 && r.Steps[0].Wave > 0 }

// subject names the object of a step.
func (s Step) subject() string {
	if s.Namespace == "" {
		return strings.TrimSpace(s.Kind + " " + s.Name)
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// textSteps writes the steps of a plan, each in a line with its number and its wave.
func textSteps(b io.Writer, r *Report) {
	fmt.Fprintf(b, "\n%4s  %4s  %-9s  %s\n", "step", "wave", "", "object")
	for _, s := range r.Steps {
		fmt.Fprintf(b, "%4d  %4d  %-9s  %s\n", s.Number, s.Wave, s.Action, s.subject())
	}
}

// markdownSteps are the steps of a plan as a table, folded if it is long.
func markdownSteps(r *Report) string {
	var rows []string
	for _, s := range r.Steps {
		rows = append(rows, fmt.Sprintf("| %d | %d | %s | %s |\n", s.Number, s.Wave, s.Action, code(s.subject())))
	}
	table, left := withinLimit(rows, maxTable)
	text := "\n| Step | Wave | | Object |\n|---|---|---|---|\n" + table
	if left > 0 {
		text += "\n" + wording.Plural(left, "more step") + ".\n"
	}
	if len(rows) <= maxRows {
		return text
	}
	return "\n<details><summary>" + wording.Plural(len(rows), "step") + "</summary>\n" + text + "\n</details>\n"
}

// steps writes the steps of a plan as a table.
func (m markup) steps(r *Report) {
	if !r.hasPlan() {
		return
	}
	m.element("h2", "Steps")
	m.open("table", "class", "steps")
	m.open("tr")
	for _, title := range [...]string{"Step", "Wave", "Action", "Object"} {
		m.element("th", title, "scope", "col")
	}
	m.end("tr")
	for _, s := range r.Steps {
		m.open("tr")
		for _, cell := range [...]string{strconv.Itoa(s.Number), strconv.Itoa(s.Wave), s.Action, s.subject()} {
			m.element("td", cell)
		}
		m.end("tr")
	}
	m.end("table")
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/identity"
)

// Text is the report for a terminal (rules/reports: formats): the summary, a table of
// what happened, the conflicts with their three values, and the notices.
type Text struct{}

// Name is text.
func (Text) Name() string { return "text" }

// Write writes the report as text.
func (Text) Write(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, r.Summary.Message)
	switch {
	case r.Summary.Failed:
	case r.hasPlan():
		textSteps(b, r)
	default:
		textTable(b, r)
	}
	for _, it := range r.Resources {
		for _, c := range it.Conflicts {
			textConflict(b, r, it, c)
		}
	}
	for i, n := range told(r.Notices) {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s: %s%s\n", n.Severity, n.Message, within(n.File, n.Line))
	}
	return b.Flush()
}

// textTable writes a line for each resource to which something happened.
func textTable(b io.Writer, r *Report) {
	wide := 0
	for _, it := range r.Resources {
		if it.Happened() {
			wide = max(wide, utf8.RuneCountInString(it.Subject))
		}
	}
	if wide == 0 {
		return
	}
	fmt.Fprintln(b)
	for _, it := range r.Resources {
		if !it.Happened() {
			continue
		}
		line := fmt.Sprintf("%-8s %s", it.Word, it.Subject)
		if it.File != "" {
			line += strings.Repeat(" ", min(wide, maxWho)-min(utf8.RuneCountInString(it.Subject), wide, maxWho)) + "  " + it.File
		}
		if it.From != "" {
			line += ", from " + it.From
		}
		fmt.Fprintln(b, line)
	}
}

// textSteps writes the steps of a plan, each in a line with its number and its wave.
func textSteps(b io.Writer, r *Report) {
	fmt.Fprintf(b, "\n%4s  %4s  %-9s  %s\n", "step", "wave", "", "object")
	for _, s := range r.Steps {
		fmt.Fprintf(b, "%4d  %4d  %-9s  %s\n", s.Number, s.Wave, s.Action, s.subject())
	}
}

// textConflict writes a conflict and, below it, its three values.
func textConflict(b io.Writer, r *Report, it *Resource, c *Conflict) {
	fmt.Fprintf(b, "\n%s: %s%s\n  %s: %s\n", severityOf(c), strings.TrimSpace(it.Subject+" "+c.Path), within(c.File, c.Line), c.Kind, c.Said)
	for _, side := range identity.Sides() {
		mark := ""
		if c.Chosen == side.String() {
			mark = "  <- taken"
		}
		fmt.Fprintf(b, "  %-*s %s%s\n", r.widest(), r.Sides[side], c.Values[side].Line, mark)
	}
}

// severityOf is how a conflict is announced.
func severityOf(c *Conflict) string {
	if c.Severity == "error" {
		return "error"
	}
	return "conflict"
}

// within names the place of a finding, in brackets.
func within(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return " (" + file + ")"
	}
	return fmt.Sprintf(" (%s:%d)", file, line)
}

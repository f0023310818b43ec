package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// writeText writes the report for a terminal (rules/reports: formats): the summary, a table of changed
// resources, the conflicts with their three values, and the notices. A file that cannot be read comes before all of them.
func writeText(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, r.Summary.Message)
	for _, n := range r.causes() {
		fmt.Fprintf(b, "%s: %s\n", n.Severity, n.Message)
	}
	switch {
	case r.steps != nil:
		if err := textSteps(b, r); err != nil {
			return err
		}
	case r.Summary.Failed:
	default:
		textTable(b, r)
	}
	for _, set := range r.conflictSets() {
		textConflict(b, r, set.resource, set.conflict)
		textEqual(b, set)
	}
	for i, n := range r.others() {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s: %s%s\n", n.Severity, n.Message, locationSuffix(n.File, n.Line))
	}
	return b.Flush()
}

// textEqual writes the equal conflicts of a set.
func textEqual(b io.Writer, set *conflictSet) {
	for i, other := range set.more {
		if i == 0 {
			fmt.Fprintf(b, "  %s:\n", set.moreLikeIt())
		}
		fmt.Fprintf(b, "    %s\n", other.where())
	}
}

// textTable writes a line for each changed resource.
func textTable(b io.Writer, r *Report) {
	width := 0
	for _, it := range r.Resources {
		if it.isChanged() {
			width = max(width, utf8.RuneCountInString(it.Subject))
		}
	}
	if width == 0 {
		return
	}
	fmt.Fprintln(b)
	for _, it := range r.Resources {
		if !it.isChanged() {
			continue
		}
		fmt.Fprintln(b, tableLine(it, width))
	}
}

// tableLine returns the line of a resource in a table whose longest subject has a width.
func tableLine(it *Resource, width int) string {
	line := fmt.Sprintf("%-8s %s", it.ActionLabel, it.Subject)
	if it.File != "" {
		line += strings.Repeat(" ", min(width, maxSubject)-min(utf8.RuneCountInString(it.Subject), width, maxSubject)) + "  " + it.File
	}
	if it.From != "" {
		line += ", from " + it.From
	}
	return line
}

// textSteps writes the steps of an apply, each in a line with its changes below it; with an inventory also its number
// and its wave.
func textSteps(b io.Writer, r *Report) error {
	steps, err := r.stepsWithChanges()
	if err != nil || len(steps) == 0 {
		return err
	}
	fmt.Fprintln(b)
	indent := 4
	if r.hasPlan() {
		fmt.Fprintf(b, "%4s  %4s  %-9s  %s\n", "step", "wave", "", "object")
		indent += 12
	}
	width := 0
	for _, s := range steps {
		width = min(max(width, utf8.RuneCountInString(s.subject())), maxSubject)
	}
	for _, s := range steps {
		if r.hasPlan() {
			fmt.Fprintf(b, "%4d  %4d  ", s.Number, s.Wave)
		}
		textStep(b, s, width, indent)
	}
	return nil
}

// textStep writes the action, the object and the changes of a step.
func textStep(b io.Writer, s step, width, indent int) {
	line := fmt.Sprintf("%-9s  %-*s", s.Action, width, s.subject())
	if s.file != "" {
		line += "  " + fileAndLine(s.file, s.line)
	}
	fmt.Fprintln(b, strings.TrimRight(line, " "))
	for _, change := range s.lines() {
		fmt.Fprintf(b, "%*s%s\n", indent, "", change)
	}
}

// textConflict writes a conflict and, below it, its three values.
func textConflict(b io.Writer, r *Report, it *Resource, c *Conflict) {
	fmt.Fprintf(b, "\n%s: %s%s\n  %s: %s\n", conflictHeading(c), strings.TrimSpace(it.Subject+" "+c.Path), locationSuffix(c.File, c.Line), c.Kind, c.Description)
	for _, side := range c.sides() {
		mark := ""
		if c.Chosen == side.String() {
			mark = "  <- taken"
		}
		writeValue(b, "  ", r.Sides[side], r.sideWidth(), c.Values[side], c.hasBlock(), mark)
	}
	if c.Result != nil {
		writeValue(b, "  ", "result", r.sideWidth(), *c.Result, c.hasBlock(), "")
	}
	if setter := c.Values[identity.Local].Source; setter != "" {
		fmt.Fprintf(b, "  %s's is from %s\n", r.Sides[identity.Local], setter)
	}
}

// writeValue writes a version's value in the line of its name, or on lines of its own, as a block.
func writeValue(b io.Writer, indent, side string, width int, v Value, block bool, mark string) {
	if block && v.Present && !v.Hidden {
		fmt.Fprintf(b, "%s%s%s\n%[1]s  %[4]s\n", indent, side, mark, strings.ReplaceAll(v.Text, "\n", "\n"+indent+"  "))
	} else {
		fmt.Fprintf(b, "%s%-*s %s%s\n", indent, width, side, v.Line, mark)
	}
}

// hasBlock reports whether the values are shown on lines of their own: one is a text of several lines, or a long map or list.
func (c *Conflict) hasBlock() bool {
	return slices.ContainsFunc(c.Values[:], func(v Value) bool {
		return strings.Contains(v.Text, "\n") && (v.isText || len(v.Line) > maxWhole)
	})
}

// showLines takes the quotes off texts of one line that are shown beside texts of several.
func (c *Conflict) showLines(shown [3]*yaml.Node) {
	if !c.hasBlock() {
		return
	}
	for side, n := range shown {
		if v := &c.Values[side]; v.isText && !v.Hidden && !strings.Contains(v.Text, "\n") {
			v.Text = wording.CutMiddle(visibleLines(strings.TrimSuffix(n.Value, "\n")), maxShown)
		}
	}
}

// conflictHeading returns the first word of a conflict.
func conflictHeading(c *Conflict) string {
	if c.Severity == "error" {
		return "error"
	}
	return "conflict"
}

// locationSuffix returns a location in brackets.
func locationSuffix(file string, line int) string {
	if file == "" {
		return ""
	}
	return " (" + fileAndLine(file, line) + ")"
}

// fileAndLine returns a location, only the file if the line is 0.
func fileAndLine(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

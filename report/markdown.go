package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// maxBody is how long a Markdown report gets, in bytes: GitHub takes 65,536
	// characters for the body of a pull request.
	maxBody = 60_000
	// maxTable is how long its table of resources gets.
	maxTable = 20_000
	// maxRows is how many rows of a table are not folded.
	maxRows = 20
)

// Markdown is the report for a pull request (rules/reports: formats): the summary, a
// table of the resources, and each conflict with its three values and the rule that
// would decide otherwise. It is never longer than a pull request's body may be.
type Markdown struct{}

// Name is markdown.
func (Markdown) Name() string { return "markdown" }

// Write writes the report as Markdown.
func (Markdown) Write(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", sentenceCase(markdownText(r.Summary.Message)))
	if r.hasPlan() {
		b.WriteString(markdownSteps(r))
	}
	b.WriteString(markdownTable(r))
	b.WriteString(markdownConflicts(r, maxBody-b.Len()))
	b.WriteString(markdownNotices(r, maxBody-b.Len()))
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable is the table of what happened, folded if it is long.
func markdownTable(r *Report) string {
	var rows []string
	for _, it := range r.Resources {
		if it.Happened() || len(it.Conflicts) > 0 {
			rows = append(rows, markdownRow(it))
		}
	}
	if rows == nil {
		return ""
	}
	table, left := withinLimit(rows, maxTable)
	text := "\n| | Resource | File | Conflicts |\n|---|---|---|---|\n" + table
	if left > 0 {
		text += "\n" + wording.Plural(left, "more resource") + ".\n"
	}
	if len(rows) <= maxRows {
		return text
	}
	return "\n<details><summary>" + wording.Plural(len(rows), "resource") + "</summary>\n" + text + "\n</details>\n"
}

func markdownRow(it *Resource) string {
	file, conflicts := code(it.File), ""
	if it.From != "" {
		file += " from " + code(it.From)
	}
	if len(it.Conflicts) > 0 {
		conflicts = fmt.Sprint(len(it.Conflicts))
	}
	return "| " + it.Word + " | " + code(it.Subject) + " | " + file + " | " + conflicts + " |\n"
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

// markdownConflicts are the conflicts, as many as there is room for.
func markdownConflicts(r *Report, room int) string {
	var all []string
	for _, it := range r.Resources {
		for _, c := range it.Conflicts {
			all = append(all, markdownConflict(r, it, c))
		}
	}
	if all == nil {
		return ""
	}
	text, left := withinLimit(all, room-100)
	text = "\n### " + sentenceCase(wording.Plural(len(all), "conflict")) + "\n" + text
	if left > 0 {
		text += "\n" + wording.Plural(left, "more conflict") + " had no room here.\n"
	}
	return text
}

// markdownConflict is one conflict: where and what, the values side by side, and the
// rule, folded.
func markdownConflict(r *Report, it *Resource, c *Conflict) string {
	var b strings.Builder
	where := code(it.Subject)
	if c.Path != "" {
		where += " " + code(c.Path)
	}
	if place := strings.Trim(within(c.File, c.Line), " ()"); place != "" {
		where += " in " + code(place)
	}
	fmt.Fprintf(&b, "\n#### %s\n\n%s\n\n<table><tr>", where, sentenceCase(c.Kind+": "+markdownText(c.Said))+".")
	for _, side := range identity.Sides() {
		mark := ""
		if c.Chosen == side.String() {
			mark = ", taken"
		}
		fmt.Fprintf(&b, "<th>%s%s</th>", r.Sides[side], mark)
	}
	b.WriteString("</tr><tr>")
	for _, side := range identity.Sides() {
		fmt.Fprintf(&b, "<td>%s</td>", cell(c.Values[side]))
	}
	b.WriteString("</tr></table>\n")
	b.WriteString(markdownRule(c))
	return b.String()
}

// markdownRule is the rule that would decide otherwise, folded.
func markdownRule(c *Conflict) string {
	if c.Rule == nil {
		return ""
	}
	return "\n<details><summary>A rule that takes " + c.Rule.Prefer + "'s</summary>\n\n```yaml\nconflicts:\n  rules:\n" +
		indent(c.Rule.YAML(), "  ") + "```\n\n</details>\n"
}

// markdownNotices are the warnings, and the infos, folded.
func markdownNotices(r *Report, room int) string {
	var warnings, infos []string
	for _, n := range told(r.Notices) {
		item := "- " + markdownText(n.Message) + "\n"
		if n.Severity == "warning" {
			warnings = append(warnings, item)
		} else {
			infos = append(infos, item)
		}
	}
	text := ""
	if list, left := withinLimit(warnings, room-100); list != "" || left > 0 {
		text += "\n### " + sentenceCase(wording.Plural(len(warnings), "warning")) + "\n\n" + list
	}
	if list, _ := withinLimit(infos, room-len(text)-100); list != "" {
		text += "\n<details><summary>" + sentenceCase(wording.Plural(len(infos), "note")) + "</summary>\n\n" + list + "\n</details>\n"
	}
	return text
}

// withinLimit joins as many parts as fit into a number of bytes, and says how many
// are left.
func withinLimit(parts []string, limit int) (text string, left int) {
	var b strings.Builder
	for i, part := range parts {
		if b.Len()+len(part) > limit {
			return b.String(), len(parts) - i
		}
		b.WriteString(part)
	}
	return b.String(), 0
}

// sentenceCase has a text begin with a capital letter.
func sentenceCase(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// indent puts something before each line.
func indent(text, lead string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(lead + line)
	}
	return b.String()
}

// maxCell is how much of a value stands in a cell of a table.
const maxCell = 1500

// code is a text of a package within Markdown, also within a table: as code, so that
// it is neither markup nor a mention of somebody.
func code(text string) string {
	if text != "" && !strings.ContainsAny(text, "`|<>&\\\n") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	return "<code>" + entities(text) + "</code>"
}

// cell is a value in a cell of a table of HTML within Markdown. It stands on one line:
// an empty line would end the table.
func cell(v Value) string {
	switch {
	case !v.Present:
		return "<em>absent</em>"
	case v.Hidden:
		return "<em>hidden</em>"
	case !strings.Contains(v.Text, "\n"):
		return "<code>" + entities(wording.CutMiddle(v.Text, maxCell)) + "</code>"
	}
	return "<pre>" + entities(wording.CutMiddle(v.Text, maxCell)) + "</pre>"
}

// entities writes what may be markup, of HTML or of Markdown, by its number.
func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || strings.ContainsRune("&<>\"'`|*_[]()\\~#!@:$^", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdownText is a sentence with texts of packages in it.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#': // what is cut in two mentions nobody
			fmt.Fprintf(&b, "&#%d;<!-- -->", r)
		case strings.ContainsRune("&<>`|*_[]\\~!$^", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// GitHub makes links of what looks like an address, even in the midst of words.
	return strings.NewReplacer("://", "&#58;//", "www.", "www&#46;").Replace(b.String())
}

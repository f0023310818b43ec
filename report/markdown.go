package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// maxBody limits a Markdown report, in bytes: GitHub takes 65,536 characters for the body of a pull request.
	maxBody = 60_000
	// maxTable limits its table of resources.
	maxTable = 20_000
	// maxRows is the number of table rows above which the table is folded.
	maxRows = 20
)

// writeMarkdown writes the report for a pull request (rules/reports: formats): the summary, a table of
// the resources, and each conflict with its three values and the rule that would decide it the
// other way. It is never longer than the body of a pull request may be.
func writeMarkdown(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", sentenceCase(wording.MarkdownText(r.Summary.Message)))
	var causes []string
	for _, n := range r.causes() {
		causes = append(causes, "- "+wording.MarkdownText(n.Message)+"\n")
	}
	if list, left := joinWithin(causes, maxTable); causes != nil {
		b.WriteString("\n" + list)
		if left > 0 {
			b.WriteString("- " + wording.Plural(left, "more file") + "\n")
		}
	}
	if r.steps != nil {
		steps, err := r.stepsWithChanges()
		if err != nil {
			return err
		}
		b.WriteString(markdownSteps(r))
		b.WriteString(markdownChanges(steps))
	} else {
		b.WriteString(markdownTable(r))
	}
	if r.isReview {
		b.WriteString(markdownLines(r))
	}
	b.WriteString(markdownConflicts(r, maxBody-b.Len()))
	b.WriteString(markdownNotices(r, maxBody-b.Len()))
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable returns the table of changed resources, folded if it is long.
func markdownTable(r *Report) string {
	var rows []string
	for _, it := range r.Resources {
		if it.isChanged() || len(it.Conflicts) > 0 {
			rows = append(rows, markdownRow(it))
		}
	}
	if rows == nil {
		return ""
	}
	return fold(markdownTableOf("| | Resource | File | Conflicts |\n|---|---|---|---|\n", rows, "resource"), len(rows), "resource")
}

// markdownTableOf returns a table with as many rows as there is room for, and the number of the others.
func markdownTableOf(head string, rows []string, noun string) string {
	table, left := joinWithin(rows, maxTable)
	if left > 0 {
		table += "\n" + wording.Plural(left, "more "+noun) + ".\n"
	}
	return "\n" + head + table
}

// fold folds a table if it is long.
func fold(table string, rows int, noun string) string {
	if rows <= maxRows {
		return table
	}
	return "\n<details><summary>" + wording.Plural(rows, noun) + "</summary>\n" + table + "\n</details>\n"
}

func markdownRow(it *Resource) string {
	file, conflicts := wording.MarkdownCode(it.File), ""
	if it.From != "" {
		file += " from " + wording.MarkdownCode(it.From)
	}
	if len(it.Conflicts) > 0 {
		conflicts = fmt.Sprint(len(it.Conflicts))
	}
	return "| " + it.ActionLabel + " | " + wording.MarkdownCode(it.Subject) + " | " + file + " | " + conflicts + " |\n"
}

// markdownSteps returns the steps of an apply as a table, folded if it is long.
func markdownSteps(r *Report) string {
	head, number := "| | Object | Config |\n|---|---|---|\n", ""
	if r.hasPlan() {
		head = "| Step | Wave | | Object | Config |\n|---|---|---|---|---|\n"
	}
	var rows []string
	for _, s := range r.steps {
		file := ""
		if s.file != "" {
			file = wording.MarkdownCode(fileAndLine(s.file, s.line))
		}
		if r.hasPlan() {
			number = fmt.Sprintf("| %d | %d ", s.Number, s.Wave)
		}
		rows = append(rows, fmt.Sprintf("%s| %s | %s | %s |\n", number, s.Action, wording.MarkdownCode(s.subject()), file))
	}
	return fold(markdownTableOf(head, rows, "object"), len(rows), "object")
}

// markdownChanges returns the changes of the steps, as many as there is room for, folded if they are many.
func markdownChanges(steps []step) string {
	var rows []string
	for _, s := range steps {
		for _, c := range s.shownChanges() {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", wording.MarkdownCode(s.subject()), wording.MarkdownCode(c.Path), changedValue(c.From), changedValue(c.To), wording.MarkdownText(strings.Join(c.Managers, " and "))))
		}
		for _, c := range s.Extra {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | not in config | %s |\n", wording.MarkdownCode(s.subject()), wording.MarkdownCode(c.Path), changedValue(c.To), wording.MarkdownText(strings.Join(c.Managers, " and "))))
		}
		for _, note := range s.Notes {
			rows = append(rows, fmt.Sprintf("| %s | %s | | | |\n", wording.MarkdownCode(s.subject()), wording.MarkdownText(note)))
		}
	}
	if rows == nil {
		return ""
	}
	return fold(markdownTableOf("| Object | Field | Before | After | Set by |\n|---|---|---|---|---|\n", rows, "change"), len(rows), "change")
}

// changedValue returns the cell of a value before or after an apply.
func changedValue(text string) string {
	if text == "" {
		return "*absent*"
	}
	return wording.MarkdownCode(text)
}

// markdownConflicts returns as many conflicts as there is room for.
func markdownConflicts(r *Report, room int) string {
	var all []string
	sets := r.conflictSets()
	for _, set := range sets {
		all = append(all, markdownConflict(r, set))
	}
	if all == nil {
		return ""
	}
	text, left := joinWithin(all, room-100)
	text = "\n### " + wording.Plural(r.Summary.Conflicts, "conflict") + "\n" + text
	for _, set := range sets[len(sets)-left:] {
		left += len(set.more)
	}
	if left > 0 {
		text += "\n" + wording.Plural(left, "more conflict") + " had no room here.\n"
	}
	return text
}

// markdownConflict returns one conflict: the location, the values side by side, and folded the equal
// conflicts and the rules.
func markdownConflict(r *Report, set *conflictSet) string {
	it, c := set.resource, set.conflict
	where := wording.MarkdownCode(it.Subject)
	if c.Path != "" {
		where += " " + wording.MarkdownCode(c.Path)
	}
	if c.File != "" {
		where += " in " + wording.MarkdownCode(fileAndLine(c.File, c.Line))
	}
	head := fmt.Sprintf("\n#### %s\n\n%s\n\n", where, sentenceCase(c.Kind+": "+wording.MarkdownText(c.Description))+".")
	return head + markdownValues(r, c) + markdownEqual(set) + markdownRules(set)
}

// markdownValues returns a table with the values of a conflict side by side.
func markdownValues(r *Report, c *Conflict) string {
	var b strings.Builder
	b.WriteString("<table><tr>")
	block := slices.ContainsFunc(c.Values[:], func(v Value) bool { return strings.Contains(v.Text, "\n") })
	for _, side := range c.sides() {
		mark := ""
		if c.Chosen == side.String() {
			mark = ", taken"
		}
		fmt.Fprintf(&b, "<th>%s%s</th>", r.Sides[side], mark)
	}
	if c.Result != nil {
		b.WriteString("<th>result</th>")
	}
	b.WriteString("</tr><tr>")
	for _, side := range c.sides() {
		fmt.Fprintf(&b, "<td>%s</td>", cell(c.Values[side], block))
	}
	if c.Result != nil {
		fmt.Fprintf(&b, "<td>%s</td>", cell(*c.Result, block))
	}
	b.WriteString("</tr></table>\n")
	return b.String()
}

// markdownEqual returns the equal conflicts of a set, folded; "" if there are none.
func markdownEqual(set *conflictSet) string {
	if len(set.more) == 0 {
		return ""
	}
	var others []string
	for _, other := range set.more {
		others = append(others, "- "+wording.MarkdownCode(other.where())+"\n")
	}
	list, left := joinWithin(others, maxTable/2)
	if left > 0 {
		list += "- " + wording.Plural(left, "more conflict") + "\n"
	}
	return "\n<details><summary>" + set.moreLikeIt() + "</summary>\n\n" + list + "\n</details>\n"
}

// markdownRules returns the rules that would decide the conflicts of a set the other way, folded.
func markdownRules(set *conflictSet) string {
	if set.conflict.Rule == nil {
		return ""
	}
	prefer := set.conflict.Rule.Prefer
	rules := set.rules(prefer)
	if rules == "" {
		return ""
	}
	title := "A rule that takes "
	if strings.Count("\n"+rules, "\n- ") > 1 {
		title = "Rules that take "
	}
	return "\n<details><summary>" + title + whoseText(prefer) + "</summary>\n\n```yaml\nconflicts:\n  rules:\n" + indent(rules, "  ") + "```\n\n</details>\n"
}

// markdownNotices returns the warnings, and the infos, folded.
func markdownNotices(r *Report, room int) string {
	var warnings, infos []string
	for _, n := range r.others() {
		if n.isLine {
			continue // the table has it
		}
		item := "- " + wording.MarkdownText(n.Message) + "\n"
		if n.Severity == "warning" {
			warnings = append(warnings, item)
		} else {
			infos = append(infos, item)
		}
	}
	text := ""
	if list, left := joinWithin(warnings, room-100); list != "" || left > 0 {
		text += "\n### " + wording.Plural(len(warnings), "warning") + "\n\n" + list
	}
	if list, _ := joinWithin(infos, room-len(text)-100); list != "" {
		text += "\n<details><summary>" + wording.Plural(len(infos), "note") + "</summary>\n\n" + list + "\n</details>\n"
	}
	return text
}

// joinWithin joins as many parts as fit into limit bytes; left counts the others.
func joinWithin(parts []string, limit int) (text string, left int) {
	var b strings.Builder
	for i, part := range parts {
		if b.Len()+len(part) > limit {
			return b.String(), len(parts) - i
		}
		b.WriteString(part)
	}
	return b.String(), 0
}

// sentenceCase capitalizes the first letter.
func sentenceCase(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// indent puts lead before each line.
func indent(text, lead string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(lead + line)
	}
	return b.String()
}

// maxCell limits how much of a value stands in a table cell.
const maxCell = 1500

// cell formats a value for a cell of an HTML table within Markdown, as a block if another one of the row is one. It is one line: an empty line would end the table.
func cell(v Value, block bool) string {
	switch {
	case !v.Present:
		return "<em>absent</em>"
	case v.Hidden:
		return "<em>hidden</em>"
	case !block && !strings.Contains(v.Text, "\n"):
		return "<code>" + wording.Entities(wording.CutMiddle(v.Text, maxCell)) + "</code>"
	}
	return "<pre>" + wording.Entities(wording.CutMiddle(v.Text, maxCell)) + "</pre>"
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// fleetMarkdown writes the summary, a table of the conflicts, and below it each with its
// packages and its rule, folded. It is never longer than a comment of a pull request may
// be.
func fleetMarkdown(w io.Writer, f *Fleet) error {
	var rows, details []string
	for _, a := range f.Alike {
		rows = append(rows, fleetRow(a))
		details = append(details, fleetDetails(a))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", markdownText(f.Summary()))
	if table, left := withinLimit(rows, maxTable); rows != nil {
		b.WriteString("\n| Packages | Resource | Field | Origin | Upstream | Local |\n|---:|---|---|---|---|---|\n" + table)
		if left > 0 {
			fmt.Fprintf(&b, "\n%s.\n", sentenceCase(wording.Plural(left, "more conflict")))
		}
	}
	failures := fleetFailures(f)
	text, left := withinLimit(details, maxBody-b.Len()-len(failures)-100)
	b.WriteString(text)
	if left > 0 {
		fmt.Fprintf(&b, "\n%s had no room here.\n", sentenceCase(wording.Plural(left, "more conflict")))
	}
	_, err := io.WriteString(w, b.String()+failures)
	return err
}

// fleetRow is a row of the table: one conflict of several packages.
func fleetRow(a *Alike) string {
	var values []string
	for i, l := range a.Locals {
		if i == maxNamed {
			values = append(values, fmt.Sprintf("%d more", len(a.Locals)-i))
			break
		}
		values = append(values, fmt.Sprintf("%s (%d)", fleetCell(l.Value), len(l.Packages)))
	}
	who := a.ResourceKind
	if len(a.Names) == 1 {
		who += " " + a.Names[0]
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s | %s |\n", len(a.Packages), code(who), code(a.Path),
		fleetCell(a.Origin), fleetCell(a.Upstream), strings.Join(values, ", "))
}

// fleetCell is a value in a cell.
func fleetCell(value string) string { return code(wording.CutMiddle(value, ShortValue)) }

// fleetDetails are the packages of a conflict, and its rule.
func fleetDetails(a *Alike) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s: <code>%s</code></summary>\n\n%s: %s.\n\n",
		wording.Plural(len(a.Packages), "package"), entities(a.Title()), sentenceCase(a.Kind), a.Ended())
	for i, l := range a.Locals {
		if i == maxRows {
			fmt.Fprintf(&b, "- and %s of local's\n", wording.Plural(len(a.Locals)-i, "more value"))
			break
		}
		fmt.Fprintf(&b, "- local %s: %s\n", fleetCell(l.Value), codes(l.Packages))
	}
	if a.Rule != nil {
		fmt.Fprintf(&b, "\n```yaml\nconflicts:\n  rules:\n  %s```\n", a.Rule.YAML())
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// fleetFailures are the packages in which nothing was merged, and why.
func fleetFailures(f *Fleet) string {
	var items []string
	for _, failure := range f.Failures {
		items = append(items, fmt.Sprintf("- %s: %s\n", markdownText(wording.CutMiddle(failure.Message, maxCell)), codes(failure.Packages)))
	}
	if items == nil {
		return ""
	}
	list, left := withinLimit(items, maxTable)
	text := "\n### " + sentenceCase(wording.Plural(f.Failed, "package")) + " failed\n\n" + list
	if left > 0 {
		text += fmt.Sprintf("- and for %s\n", wording.Plural(left, "more reason"))
	}
	return text
}

// codes names packages, as many as a table of resources has rows.
func codes(all []string) string {
	var names []string
	for _, name := range all[:min(len(all), maxRows)] {
		names = append(names, code(name))
	}
	text := strings.Join(names, ", ")
	if len(all) > maxRows {
		text += fmt.Sprintf(" and %d more", len(all)-maxRows)
	}
	return text
}

package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// writeJSON writes everything, for programs; docs/fleet.schema.json describes it.
func (f *Fleet) writeJSON(w io.Writer, _ *Report) error {
	type summary struct {
		Message     string `json:"message"`
		Packages    int    `json:"packages"`
		Conflicting int    `json:"conflicting"`
		Failed      int    `json:"failed"`
		Conflicts   int    `json:"conflicts"`
		Different   int    `json:"different"`
	}
	return encodeJSON(w, struct {
		Summary   summary          `json:"summary"`
		Conflicts []*conflictGroup `json:"conflicts"`
		Failures  []*failure       `json:"failures"`
	}{summary{f.summary(), f.packages, f.conflicting, f.failed, f.conflicts, len(f.groups)}, f.groups, f.failures})
}

// writeMarkdown writes the summary, a table of the conflicts, and below it each conflict with its
// packages and its rule, folded. It is never longer than a comment of a pull request may be.
func (f *Fleet) writeMarkdown(w io.Writer, _ *Report) error {
	var rows, details []string
	for _, g := range f.groups {
		rows = append(rows, fleetRow(g))
		details = append(details, fleetDetails(g))
	}
	text := fmt.Sprintf("**%s**\n", wording.MarkdownText(f.summary()))
	if rows != nil {
		text += markdownTableOf("| Packages | Resource | Field | Origin | Upstream | Local |\n|---:|---|---|---|---|---|\n", rows, "conflict")
	}
	failures := fleetFailures(f)
	list, left := joinWithin(details, maxBody-len(text)-len(failures)-100)
	text += list
	if left > 0 {
		text += fmt.Sprintf("\n%s had no room here.\n", wording.Plural(left, "more conflict"))
	}
	_, err := io.WriteString(w, text+failures)
	return err
}

// fleetRow returns the table row of one group of conflicts.
func fleetRow(g *conflictGroup) string {
	var values []string
	for _, l := range g.Locals[:min(len(g.Locals), maxNames)] {
		values = append(values, fmt.Sprintf("%s (%d)", fleetCell(l.Value), len(l.Packages)))
	}
	if more := len(g.Locals) - maxNames; more > 0 {
		values = append(values, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s | %s |\n", len(g.Packages), wording.MarkdownCode(g.name()), wording.MarkdownCode(g.Path),
		fleetCell(g.Origin), fleetCell(g.Upstream), strings.Join(values, ", "))
}

func fleetCell(value string) string {
	return wording.MarkdownCode(wording.CutMiddle(value, wording.ShortValue))
}

// fleetDetails returns the packages of a group of conflicts, and its rule.
func fleetDetails(g *conflictGroup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s: <code>%s</code></summary>\n\n%s: %s.\n\n",
		wording.Plural(len(g.Packages), "package"), wording.Entities(g.title()), sentenceCase(g.Kind), g.outcome())
	for _, l := range g.Locals[:min(len(g.Locals), maxRows)] {
		fmt.Fprintf(&b, "- local %s: %s\n", fleetCell(l.Value), codes(l.Packages))
	}
	if more := len(g.Locals) - maxRows; more > 0 {
		fmt.Fprintf(&b, "- and %s of yours\n", wording.Plural(more, "more value"))
	}
	if g.Rule != nil {
		fmt.Fprintf(&b, "\n```yaml\nconflicts:\n  rules:\n  %s```\n", g.Rule.yaml())
	}
	return b.String() + "\n</details>\n"
}

// fleetFailures returns the packages that were not merged, and the reasons.
func fleetFailures(f *Fleet) string {
	var items []string
	for _, failure := range f.failures {
		items = append(items, fmt.Sprintf("- %s: %s\n", wording.MarkdownText(wording.CutMiddle(failure.Message, maxCell)), codes(failure.Packages)))
	}
	if items == nil {
		return ""
	}
	list, left := joinWithin(items, maxTable)
	if left > 0 {
		list += fmt.Sprintf("- and for %s\n", wording.Plural(left, "more reason"))
	}
	return "\n### " + wording.Plural(f.failed, "package") + " failed\n\n" + list
}

// codes returns the names of at most maxRows packages.
func codes(all []string) string {
	var names []string
	for _, name := range all[:min(len(all), maxRows)] {
		names = append(names, wording.MarkdownCode(name))
	}
	text := strings.Join(names, ", ")
	if len(all) > maxRows {
		text += fmt.Sprintf(" and %d more", len(all)-maxRows)
	}
	return text
}

// maxNames limits the packages or resources that a fleet report names of many; the JSON report names all.
const maxNames = 3

// maxFleetValue limits how much of a value the text shows, in bytes.
const maxFleetValue = 80

// writeText writes the summary, and then each group of conflicts with the packages' values.
func (f *Fleet) writeText(w io.Writer, _ *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, f.summary())
	for _, g := range f.groups {
		fmt.Fprintf(b, "\n%s: %s\n", wording.Plural(len(g.Packages), "package"), g.title())
		fmt.Fprintf(b, "  %s: origin %s, upstream %s; %s\n", g.Kind, wording.CutMiddle(g.Origin, maxFleetValue), wording.CutMiddle(g.Upstream, maxFleetValue), g.outcome())
		for _, l := range g.Locals[:min(len(g.Locals), maxNames)] {
			fmt.Fprintf(b, "  local %-*s  %s: %s\n", widestLocal(g.Locals), wording.CutMiddle(l.Value, maxFleetValue), wording.Plural(len(l.Packages), "package"), joinNames(l.Packages))
		}
		if more := len(g.Locals) - maxNames; more > 0 {
			fmt.Fprintf(b, "  and %s of yours\n", wording.Plural(more, "more value"))
		}
		if g.Rule != nil {
			fmt.Fprintf(b, "  rule: %s", strings.TrimPrefix(g.Rule.yaml(), "- "))
		}
	}
	for _, failure := range f.failures {
		fmt.Fprintf(b, "\n%s failed: %s\n  %s\n", wording.Plural(len(failure.Packages), "package"), wording.CutMiddle(failure.Message, maxValue), joinNames(failure.Packages))
	}
	return b.Flush()
}

// widestLocal returns the width of the values that are shown, at most maxSubject.
func widestLocal(locals []*localValue) int {
	width := 0
	for _, l := range locals[:min(len(locals), maxNames)] {
		width = max(width, utf8.RuneCountInString(l.Value))
	}
	return min(width, maxSubject)
}

// joinNames joins at most maxNames names.
func joinNames(all []string) string {
	if len(all) <= maxNames {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(all)-maxNames)
}

// toJSON converts a text of JSON or YAML to JSON.
func toJSON(text []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text) {
		return text, nil
	}
	var data map[string]any
	if err := yaml.Unmarshal(text, &data); err != nil {
		return nil, err
	}
	return json.Marshal(jsonData(data))
}

// jsonData converts decoded YAML to data that JSON can hold, with string keys and finite numbers.
func jsonData(data any) any {
	switch v := data.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = jsonData(value)
		}
	case map[any]any:
		out := map[string]any{}
		for key, value := range v {
			out[fmt.Sprint(key)] = jsonData(value)
		}
		return out
	case []any:
		for i, value := range v {
			v[i] = jsonData(value)
		}
	case float64:
		if _, err := json.Marshal(v); err != nil { // infinite, or no number
			return fmt.Sprint(v)
		}
	}
	return data
}

// valueLine returns a value of a JSON report on one line.
func valueLine(value any) string {
	if value == nil {
		return absent
	}
	return quotedLine(valueNode(value))
}

// resultValue returns a value of a result on one line. A string, which Porch always has, stays as it is.
func resultValue(value any) string {
	if text, is := value.(string); is {
		return text
	}
	return valueLine(value)
}

// valueNode converts a JSON value to a YAML node.
func valueNode(value any) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, valueNode(key), valueNode(v[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, element := range v {
			n.Content = append(n.Content, valueNode(element))
		}
		return n
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}
}

// fleetStyle is the style of a fleet's page, after that of the page of one merge.
const fleetStyle = "section { margin: 1.5rem 0; } h2 { font-size: 1.1rem; overflow-wrap: anywhere; }\n" +
	".values { border-collapse: collapse; } .values th, .values td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; overflow-wrap: anywhere; }\n"

// writeHTML writes the fleet as one page that loads nothing: the summary, then each group of conflicts
// with the packages' values and the rule, then the failures.
func (f *Fleet) writeHTML(w io.Writer, _ *Report) error {
	m, style := markup{bufio.NewWriter(w)}, pageStyle+fleetStyle
	hash := sha256.Sum256([]byte(style))
	m.printf(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>%s</title>
`, base64.StdEncoding.EncodeToString(hash[:]), f.summary())
	m.WriteString("<style>" + style + "</style></head>\n<body><header><h1>Merges of a fleet</h1>")
	m.printf("<p class=\"summary\">%s</p></header>\n<main>\n", f.summary())
	for _, g := range f.groups {
		m.conflictGroup(g)
	}
	for _, failure := range f.failures {
		m.printf("<section><h2>%s failed</h2><p>%s</p><p>%s</p></section>\n", wording.Plural(len(failure.Packages), "package"), failure.Message, strings.Join(failure.Packages, ", "))
	}
	m.WriteString("</main></body>\n</html>\n")
	return m.Flush()
}

// conflictGroup writes equal conflicts of several packages.
func (m markup) conflictGroup(g *conflictGroup) {
	m.printf("<section><h2>%s: <code>%s</code></h2><p>%s: %s</p>\n<table class=\"values\">", wording.Plural(len(g.Packages), "package"), g.title(), g.Kind, g.outcome())
	row := func(side, value, packages string) {
		m.printf("<tr><th>%s</th><td><code>%s</code></td><td>%s</td></tr>\n", side, value, packages)
	}
	row("origin", g.Origin, "")
	row("upstream", g.Upstream, "")
	for _, l := range g.Locals {
		row("local", l.Value, strings.Join(l.Packages, ", "))
	}
	m.WriteString("</table>")
	if g.Rule != nil {
		m.printf("<p>This rule decides all of them for the other side:</p><pre>conflicts:\n  rules:\n  %s</pre>", g.Rule.yaml())
	}
	m.WriteString("</section>\n")
}

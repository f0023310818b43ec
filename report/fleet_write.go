package report

import (
	"bufio"
	"bytes"
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

// fleetReport is a Fleet as JSON; docs/fleet.schema.json describes it.
type fleetReport struct {
	Summary   fleetSummary    `json:"summary"`
	Conflicts []fleetConflict `json:"conflicts"`
	Failures  []*Failure      `json:"failures"`
}

type fleetSummary struct {
	Message     string `json:"message"`
	Packages    int    `json:"packages"`
	Conflicting int    `json:"conflicting"`
	Failed      int    `json:"failed"`
	Conflicts   int    `json:"conflicts"`
	Different   int    `json:"different"`
}

type fleetConflict struct {
	Kind     string        `json:"kind"`
	Resource fleetResource `json:"resource"`
	Path     string        `json:"path"`
	Origin   string        `json:"origin"`
	Upstream string        `json:"upstream"`
	Local    []fleetLocal  `json:"local"`
	Chosen   Chosen        `json:"chosen"`
	Count    int           `json:"count"`
	Packages []string      `json:"packages"`
	Rule     *FleetRule    `json:"rule"`
}

type fleetResource struct {
	Group string   `json:"group"`
	Kind  string   `json:"kind"`
	Names []string `json:"names"`
}

type fleetLocal struct {
	Value    string   `json:"value"`
	Packages []string `json:"packages"`
}

// fleetJSON writes everything, for programs.
func fleetJSON(w io.Writer, f *Fleet) error {
	out := fleetReport{
		Summary:   fleetSummary{f.Summary(), f.Packages, f.Conflicting, f.Failed, f.Conflicts, len(f.Groups)},
		Conflicts: []fleetConflict{}, Failures: append([]*Failure{}, f.Failures...),
	}
	for _, a := range f.Groups {
		c := fleetConflict{
			Kind: a.Kind, Resource: fleetResource{a.Group, a.ResourceKind, append([]string{}, a.Names...)}, Path: a.Path,
			Origin: a.Origin, Upstream: a.Upstream, Chosen: a.Chosen, Count: a.Conflicts, Packages: a.Packages, Rule: a.Rule,
		}
		for _, l := range a.Locals {
			c.Local = append(c.Local, fleetLocal(*l))
		}
		out.Conflicts = append(out.Conflicts, c)
	}
	return encodeJSON(w, out)
}

// fleetMarkdown writes the summary, a table of the conflicts, and below it each conflict with its
// packages and its rule, folded. It is never longer than a comment of a pull request may be.
func fleetMarkdown(w io.Writer, f *Fleet) error {
	var rows, details []string
	for _, a := range f.Groups {
		rows = append(rows, fleetRow(a))
		details = append(details, fleetDetails(a))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", markdownText(f.Summary()))
	if table, left := joinWithin(rows, maxTable); rows != nil {
		b.WriteString("\n| Packages | Resource | Field | Origin | Upstream | Local |\n|---:|---|---|---|---|---|\n" + table)
		if left > 0 {
			fmt.Fprintf(&b, "\n%s.\n", sentenceCase(wording.Plural(left, "more conflict")))
		}
	}
	failures := fleetFailures(f)
	text, left := joinWithin(details, maxBody-b.Len()-len(failures)-100)
	b.WriteString(text)
	if left > 0 {
		fmt.Fprintf(&b, "\n%s had no room here.\n", sentenceCase(wording.Plural(left, "more conflict")))
	}
	_, err := io.WriteString(w, b.String()+failures)
	return err
}

// fleetRow returns the table row of one group of conflicts.
func fleetRow(a *ConflictGroup) string {
	var values []string
	for i, l := range a.Locals {
		if i == maxNames {
			values = append(values, fmt.Sprintf("%d more", len(a.Locals)-i))
			break
		}
		values = append(values, fmt.Sprintf("%s (%d)", fleetCell(l.Value), len(l.Packages)))
	}
	name := a.ResourceKind
	if len(a.Names) == 1 {
		name += " " + a.Names[0]
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s | %s |\n", len(a.Packages), code(name), code(a.Path),
		fleetCell(a.Origin), fleetCell(a.Upstream), strings.Join(values, ", "))
}

// fleetCell returns a value for a table cell.
func fleetCell(value string) string { return code(wording.CutMiddle(value, ShortValue)) }

// fleetDetails returns the packages of a group of conflicts, and its rule.
func fleetDetails(a *ConflictGroup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s: <code>%s</code></summary>\n\n%s: %s.\n\n",
		wording.Plural(len(a.Packages), "package"), entities(a.Title()), sentenceCase(a.Kind), a.Outcome())
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

// fleetFailures returns the packages that were not merged, and the reasons.
func fleetFailures(f *Fleet) string {
	var items []string
	for _, failure := range f.Failures {
		items = append(items, fmt.Sprintf("- %s: %s\n", markdownText(wording.CutMiddle(failure.Message, maxCell)), codes(failure.Packages)))
	}
	if items == nil {
		return ""
	}
	list, left := joinWithin(items, maxTable)
	text := "\n### " + sentenceCase(wording.Plural(f.Failed, "package")) + " failed\n\n" + list
	if left > 0 {
		text += fmt.Sprintf("- and for %s\n", wording.Plural(left, "more reason"))
	}
	return text
}

// codes returns the names of at most maxRows packages.
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

// maxNames limits the packages or resources that a fleet report names of many; the JSON report
// names all.
const maxNames = 3

// maxFleetValue limits how much of a value the text shows, in bytes.
const maxFleetValue = 80

// fleetText writes the summary, and then each group of conflicts with the packages' values.
func fleetText(w io.Writer, f *Fleet) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, f.Summary())
	for _, a := range f.Groups {
		fmt.Fprintf(b, "\n%s: %s\n", wording.Plural(len(a.Packages), "package"), a.Title())
		fmt.Fprintf(b, "  %s: origin %s, upstream %s; %s\n", a.Kind, wording.CutMiddle(a.Origin, maxFleetValue), wording.CutMiddle(a.Upstream, maxFleetValue), a.Outcome())
		for i, l := range a.Locals {
			if i == maxNames {
				fmt.Fprintf(b, "  and %s of local's\n", wording.Plural(len(a.Locals)-i, "more value"))
				break
			}
			fmt.Fprintf(b, "  local %-*s  %s: %s\n", widestLocal(a.Locals), wording.CutMiddle(l.Value, maxFleetValue), wording.Plural(len(l.Packages), "package"), joinNames(l.Packages))
		}
		if a.Rule != nil {
			fmt.Fprintf(b, "  rule: %s", strings.TrimPrefix(a.Rule.YAML(), "- "))
		}
	}
	for _, failure := range f.Failures {
		fmt.Fprintf(b, "\n%s failed: %s\n  %s\n", wording.Plural(len(failure.Packages), "package"), wording.CutMiddle(failure.Message, maxValue), joinNames(failure.Packages))
	}
	return b.Flush()
}

// widestLocal returns the width of the values that are shown, at most maxSubject.
func widestLocal(locals []*LocalValue) int {
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
func valueLine(text json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || value == nil {
		return absent
	}
	return quotedLine(valueNode(value))
}

// resultValue returns a value of a result on one line. A string, which Porch always has, stays as
// it is.
func resultValue(text json.RawMessage) string {
	var value string
	if json.Unmarshal(text, &value) == nil && string(text) != "null" {
		return value
	}
	return valueLine(text)
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

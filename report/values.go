package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/values"
)

// finding is a line of a values file and its class, or a new default (rules/values: classes).
type finding struct {
	Class string `json:"class"`
	Path  string `json:"path"`
	// File and Line are "" and 0 for a new default.
	File string `json:"file"`
	Line int    `json:"line"`
	// Value is the user's; the defaults are origin's and upstream's, null where there is none.
	Value      any `json:"value"`
	OldDefault any `json:"oldDefault"`
	NewDefault any `json:"newDefault"`
	// NewPath is the field to which the line moves, and Candidates are fields to which it may have to be moved by hand.
	NewPath    string   `json:"newPath,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Nearest is the field that an unknown or refused one may be meant for.
	Nearest      string `json:"nearest,omitempty"`
	OverriddenBy string `json:"overriddenBy,omitempty"`
	Note         string `json:"note,omitempty"`
	// Bump is the release or base, Layer the sort of the layer, and Resource the resource that a patch is for; News says that the class
	// comes from the bump. They are of a review.
	Bump     string `json:"bump,omitempty"`
	Layer    string `json:"layer,omitempty"`
	Resource string `json:"resource,omitempty"`
	News     bool   `json:"news,omitempty"`
}

// NewValues builds the report of comparisons of values files with two versions of their charts.
func NewValues(results ...*values.Result) *Report {
	out := &Report{findings: []finding{}}
	all, versions := map[values.Class]int{}, []string{}
	for _, r := range results {
		counts, defaults := map[values.Class]int{}, newDefaults(r)
		for _, f := range r.Findings {
			counts[f.Class]++
			one := newFinding(f)
			out.findings = append(out.findings, one)
			if f.Class == values.New && len(defaults) > maxNew {
				continue
			}
			if sentence := valuesSentence(one, f, r.Origin == r.Upstream); sentence != "" {
				out.Notices = append(out.Notices, Notice{
					Severity: valuesSeverity(f), Message: visibleMessage(sentence), Path: one.Path, File: one.File, Line: one.Line,
				})
			}
		}
		for _, f := range r.Failures {
			out.Notices = append(out.Notices, failureNotice(f, r.Origin == r.Upstream))
		}
		if len(defaults) > maxNew {
			out.Notices = append(out.Notices, Notice{Severity: SeverityInfo, Message: visibleMessage(defaultsSentence(defaults))})
		}
		for _, text := range r.Unread {
			out.Notices = append(out.Notices, Notice{Severity: "warning", Message: visibleMessage(text)})
		}
		if versions = append(versions, versionsText(r)); len(results) > 1 {
			text := r.Name + ": " + classCounts(counts, versionsText(r), r.Origin == r.Upstream)
			out.Notices = append(out.Notices, Notice{Severity: SeverityInfo, Message: visibleMessage(text)})
		}
		for class, n := range counts {
			all[class] += n
		}
		out.Summary.Failed = out.Summary.Failed || counts[values.Refused] > 0
	}
	slices.SortStableFunc(out.Notices, func(a, b Notice) int { return strings.Compare(b.Severity, a.Severity) })
	slices.Sort(versions)
	over := strings.Join(slices.Compact(versions), ", ")
	if len(results) > 1 {
		over += " in " + wording.Plural(len(results), "release")
	}
	isAlone := !slices.ContainsFunc(results, func(r *values.Result) bool { return r.Origin != r.Upstream })
	out.Summary.Message = visibleMessage(classCounts(all, over, isAlone))
	return out
}

// failureNotice returns the warning of a call of fail or required that the values reach.
func failureNotice(f values.Failure, isAlone bool) Notice {
	which, text := "new ", ""
	if isAlone {
		which = ""
	}
	if f.Path != nil {
		text = values.PathText(f.Path) + ": "
	}
	text += fmt.Sprintf("the %schart fails with your values at %s:%d", which, f.Template, f.Line)
	if f.Message != "" {
		text += ": " + wording.CutMiddle(strings.Join(strings.Fields(f.Message), " "), maxMessage)
	}
	return Notice{Severity: SeverityWarning, Message: visibleMessage(text), Path: visible(values.PathText(f.Path)), File: f.File, Line: f.UserLine}
}

// maxMessage is the length up to which the message of a template is shown.
const maxMessage = 160

const (
	// maxNew is the number of new defaults up to which each has a sentence. More of them are one sentence.
	maxNew = 3
	// maxListed is the number of new defaults that this sentence names.
	maxListed = 10
)

// newDefaults returns the names of the new defaults.
func newDefaults(r *values.Result) (names []string) {
	for _, f := range r.Findings {
		if f.Class == values.New {
			names = append(names, values.PathText(f.Path))
		}
	}
	return names
}

// defaultsSentence returns the sentence about many new defaults. The JSON report has all of them with their values.
func defaultsSentence(names []string) string {
	text := wording.Plural(len(names), "new default") + ": " + strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += " and " + wording.Plural(more, "other")
	}
	return text
}

// classCounts counts the lines of each class over the versions of charts; isAlone says that each chart has one.
func classCounts(counts map[values.Class]int, versions string, isAlone bool) string {
	var parts []string
	lines := 0
	for _, class := range values.Classes() {
		isOfTwo := class == values.MovedBeneath || class == values.Renamed
		if class != values.New && !(isOfTwo && isAlone) {
			lines += counts[class]
			parts = append(parts, fmt.Sprintf("%d %s", counts[class], strings.ReplaceAll(string(class), "-", " ")))
		}
	}
	text := fmt.Sprintf("%s over %s: %s", wording.Plural(lines, "line"), versions, strings.Join(parts, ", "))
	if !isAlone {
		text += "; " + wording.Plural(counts[values.New], "new default")
	}
	return text
}

// versionsText returns the chart and its two versions.
func versionsText(r *values.Result) string {
	name := func(c *values.Chart) string { return strings.TrimSpace(c.Name + " " + c.Version) }
	if r.Origin == r.Upstream {
		return name(r.Upstream)
	}
	if r.Origin.Name == r.Upstream.Name && r.Upstream.Version != "" {
		return name(r.Origin) + " -> " + r.Upstream.Version
	}
	return name(r.Origin) + " -> " + name(r.Upstream)
}

func newFinding(of *values.Finding) finding {
	f := of.Redacted(hidden)
	out := finding{
		Class: string(f.Class), Path: visible(values.PathText(f.Path)), File: visible(f.File), Line: f.Line,
		Value: f.Value, OldDefault: f.OldDefault, NewDefault: f.NewDefault,
		OverriddenBy: visible(f.OverriddenBy), Note: visible(f.Note),
	}
	if f.NewPath != nil {
		out.NewPath = visible(values.PathText(f.NewPath))
	}
	if f.Nearest != nil {
		out.Nearest = visible(values.PathText(f.Nearest))
	}
	for _, path := range f.Candidates {
		out.Candidates = append(out.Candidates, visible(values.PathText(path)))
	}
	return out
}

// valuesSeverity returns the severity of a finding: warning where somebody has to look.
func valuesSeverity(f *values.Finding) string {
	if f.Reshaped {
		return SeverityWarning
	}
	switch f.Class {
	case values.MovedBeneath:
		if _, isMap := f.NewDefault.(map[string]any); isMap && f.Value != nil { // a value in place of a map
			return SeverityWarning
		}
	case values.Dead, values.Unknown, values.Refused, values.Renamed:
		return SeverityWarning
	}
	return SeverityInfo
}

// maxCandidates is the number of candidates that a sentence names. More of them have little to do with the line.
const maxCandidates = 3

// valuesSentence returns the sentence about a finding, "" for a line that is needed as it is. isAlone says that one version of the
// chart is compared.
func valuesSentence(f finding, of *values.Finding, isAlone bool) string {
	text, which, lack := "", "new ", "neither version of the chart has it"
	if isAlone {
		which, lack = "", "the chart does not use it"
	}
	switch of.Class {
	case values.MovedBeneath:
		text = fmt.Sprintf("%s: moved beneath: the default was %s and is %s; the values have %s%s", f.Path, valueOr(f.OldDefault, f.NewDefault, of.HasOld),
			valueOr(f.NewDefault, f.OldDefault, of.HasNew), shortBeside(f.Value, f.NewDefault), differingElements(f))
	case values.Redundant:
		text = fmt.Sprintf("%s: redundant: %s is the %sdefault", f.Path, shortBeside(f.Value, nil), which)
	case values.Renamed:
		text = fmt.Sprintf("%s: renamed: the key is now %s", f.Path, f.NewPath)
	case values.Dead:
		text = fmt.Sprintf("%s: dead: the %schart does not use it", f.Path, which)
		if n := len(f.Candidates); n > 0 && n <= maxCandidates {
			text += "; it may be " + strings.Join(f.Candidates, " or ")
		}
	case values.Unknown:
		text = fmt.Sprintf("%s: unknown: %s", f.Path, lack)
	case values.Refused:
		text = fmt.Sprintf("%s: refused by the %schart's values.schema.json: %s", f.Path, which, f.Note)
	case values.New:
		text = fmt.Sprintf("%s: new: the default is %s", f.Path, shortBeside(f.NewDefault, nil))
	}
	if f.Note != "" && of.Class != values.Refused {
		text = cmp.Or(text, fmt.Sprintf("%s: %s", f.Path, of.Class)) + "; " + f.Note
	}
	if f.Nearest != "" && text != "" {
		text += "; did you mean " + f.Nearest + "?"
	}
	if f.OverriddenBy != "" && text != "" {
		text += "; " + f.OverriddenBy + " overrides it"
	}
	return text
}

// differingElements returns the elements by which the defaults of a list differ.
func differingElements(f finding) string {
	was, old := f.OldDefault.([]any)
	is, now := f.NewDefault.([]any)
	if !old || !now {
		return ""
	}
	var text strings.Builder
	for _, e := range without(is, was) {
		text.WriteString("; the default has " + shortJSON(e))
	}
	for _, e := range without(was, is) {
		text.WriteString("; the default lacks " + shortJSON(e))
	}
	return text.String()
}

// without returns the elements of a that b lacks.
func without(a, b []any) (out []any) {
	known := map[string]bool{}
	for _, e := range b {
		known[wording.JSON(e)] = true
	}
	for _, e := range a {
		if !known[wording.JSON(e)] {
			out = append(out, e)
		}
	}
	return out
}

// valueOr is shortBeside, or says that there is no value.
func valueOr(value, other any, has bool) string {
	if !has {
		return "no value"
	}
	return shortBeside(value, other)
}

// shortBeside is shortJSON, but of a text with several lines it returns the first one in which the text differs from
// another value, and the number of the others.
func shortBeside(value, other any) string {
	text, isText := value.(string)
	if !isText || !strings.Contains(text, "\n") {
		return shortJSON(value)
	}
	var than *yaml.Node
	if line, isText := other.(string); isText {
		than = yamlnode.String(line)
	}
	return excerpt(yamlnode.String(text), than)
}

// shortJSON returns a value in JSON, cut.
func shortJSON(value any) string {
	if value == hidden {
		return hidden
	}
	return wording.CutMiddle(wording.JSON(value), 2*wording.ShortValue)
}

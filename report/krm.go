package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Result is a result of a KRM function, with the fields and names that the framework of kyaml has.
type Result struct {
	Message string `yaml:"message,omitempty" json:"message,omitempty"`
	// Severity is SeverityError, SeverityWarning or SeverityInfo.
	Severity    string            `yaml:"severity,omitempty" json:"severity,omitempty"`
	ResourceRef *ResultResource   `yaml:"resourceRef,omitempty" json:"resourceRef,omitempty"`
	Field       *ResultField      `yaml:"field,omitempty" json:"field,omitempty"`
	File        *ResultFile       `yaml:"file,omitempty" json:"file,omitempty"`
	Tags        map[string]string `yaml:"tags,omitempty" json:"tags,omitempty"`
}

const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityInfo    = "info"
)

// ResultResource is the resource that a result is about.
type ResultResource struct {
	APIVersion string `yaml:"apiVersion,omitempty" json:"apiVersion,omitempty"`
	Kind       string `yaml:"kind,omitempty" json:"kind,omitempty"`
	Name       string `yaml:"name,omitempty" json:"name,omitempty"`
	Namespace  string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

// ResultField is the field that a result is about, with local's and upstream's values.
type ResultField struct {
	Path          string `yaml:"path,omitempty" json:"path,omitempty"`
	CurrentValue  any    `yaml:"currentValue,omitempty" json:"currentValue,omitempty"`
	ProposedValue any    `yaml:"proposedValue,omitempty" json:"proposedValue,omitempty"`
}

// ResultFile is the file of a resource, and the index of the resource in it.
type ResultFile struct {
	Path  string `yaml:"path,omitempty" json:"path,omitempty"`
	Index int    `yaml:"index,omitempty" json:"index,omitempty"`
}

// Results returns the results of a KRM function for a merge: the summary first, then the caller's
// results in first and the messages, errors before warnings before infos (rules/conflicts: order of
// results). The error reports conflicts that fail the run.
func Results(merged *pkgmerge.Result, first []*Result) ([]*Result, error) {
	t := newCounts(merged)
	failed := t.failures > 0
	results := append(first, noticeResults(merged.Notices, isAboutInput)...)
	results = append(results, changeResults(merged, failed, t.applied != nil)...)
	if !failed || t.applied != nil {
		results = append(results, noticeResults(merged.Notices, func(n pkgmerge.Notice) bool { return !isAboutInput(n) })...)
	}
	results = append(results, stepResults(t.applied)...)
	slices.SortStableFunc(results, func(a, b *Result) int { return severityRank(a) - severityRank(b) })
	return slices.Insert(results, 0, t.summary()), t.err()
}

// changeResults returns the results about the resources and files of a merge. A merge that failed has no remarks, unless
// it is an apply.
func changeResults(merged *pkgmerge.Result, failed, applies bool) (results []*Result) {
	for c := range merged.Conflicts() {
		var r *Result
		if c.File != nil {
			r = fileConflictResult(c.File, c.Conflict, failed)
		} else {
			r = conflictResult(c.Change, c.Conflict, failed)
		}
		if c.Fails() {
			r.Severity = SeverityError
		}
		results = append(results, r)
	}
	for _, m := range merged.Changes {
		for _, remark := range m.Remarks {
			if !failed || applies {
				results = append(results, remarkResult(m, remark))
			}
		}
	}
	for _, f := range merged.FileChanges {
		for _, remark := range f.Remarks {
			if !failed {
				results = append(results, &Result{Severity: SeverityInfo, Message: fileRemarkMessage(f, remark), File: fileReference(f.Name, 0)})
			}
		}
	}
	return results
}

// isAboutInput reports whether a notice is about the input of the merge, not its result.
func isAboutInput(n pkgmerge.Notice) bool { return n.Resource != nil || n.File != "" }

func noticeResults(notices []pkgmerge.Notice, chosen func(pkgmerge.Notice) bool) []*Result {
	var out []*Result
	for _, n := range notices {
		if chosen(n) {
			out = append(out, noticeResult(n))
		}
	}
	return out
}

func noticeResult(n pkgmerge.Notice) *Result {
	r := &Result{Severity: SeverityInfo, Message: n.Text}
	if n.Warning {
		r.Severity = SeverityWarning
	}
	switch {
	case n.File != "":
		r.Message, r.File = wording.Cut(n.Text, wording.MaxMessage), fileReference(n.File, 0)
	case n.Change != nil:
		name := subject(n.Change)
		r.Message = formatMessage(name, nil, n.Text, 0)
		r.ResourceRef, r.File = resourceReference(n.Change.Newest().Meta), changeReference(n.Change)
	case n.Resource != nil:
		r.Message = wording.Cut(n.Text, wording.MaxMessage)
		if n.Path != "" {
			name, text := "CRD "+n.Resource.Meta.Name, ": "+n.Text
			r.Message = wording.Cut(name+wording.CutFront(" "+n.Path, wording.MaxMessage-len(name)-len(text))+text, wording.MaxMessage)
			r.Field = &ResultField{Path: n.Path}
		}
		r.ResourceRef, r.File = resourceReference(n.Resource.Meta), fileReference(cmp.Or(n.Resource.Label, n.Resource.File), n.Resource.Index)
	}
	return r
}

func severityRank(r *Result) int {
	switch r.Severity {
	case SeverityError:
		return 0
	case SeverityWarning:
		return 1
	}
	return 2
}

// conflictResult returns the result of a conflict: its location, the three values, and the chosen
// side, if the run has not failed.
func conflictResult(m *pkgmerge.Change, c merge.Conflict, failed bool) *Result {
	r := &Result{
		Message:     conflictMessage(m, c, failed),
		Severity:    SeverityWarning,
		ResourceRef: resourceReference(m.Newest().Meta),
		Field:       &ResultField{Path: c.FullPath().String()},
		Tags:        map[string]string{"conflict": string(c.Kind)},
		File:        changeReference(m),
	}
	if !failed {
		r.Tags["chosen"] = c.Chosen.String()
	}
	if len(c.Managers) > 0 {
		r.Tags["managers"] = strings.Join(c.Managers, ", ")
	}
	if showsValues(m, c) {
		r.setValues(c.Values)
	}
	return r
}

// fileConflictResult is conflictResult for a file without resources.
func fileConflictResult(f *pkgmerge.FileChange, c merge.Conflict, failed bool) *Result {
	outcome := conflictOutcome(c)
	if failed {
		outcome = nothingMerged
	}
	r := &Result{
		Message:  fileCollision(f, c, outcome) + "; " + outcome,
		Severity: SeverityWarning,
		File:     fileReference(f.Name, 0),
		Tags:     map[string]string{"conflict": string(c.Kind)},
	}
	if !failed {
		r.Tags["chosen"] = c.Chosen.String()
	}
	return r
}

// remarkResult returns the result of a remark (rules/conflicts: results).
func remarkResult(m *pkgmerge.Change, remark merge.Remark) *Result {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	r := conflictResult(m, c, true)
	r.Severity = SeverityInfo
	switch {
	case isWarning(remark.Kind):
		r.Severity = SeverityWarning
		delete(r.Tags, "conflict")
	case remark.Kind == merge.LocalRemoved, remark.Kind == merge.LikeDeleted, remark.Kind == merge.OwnComment, remark.Kind == merge.UpstreamComment:
		delete(r.Tags, "conflict")
	}
	r.Message = remarkMessage(m, remark)
	return r
}

// changeReference returns the file of a resource and the index in it; of a deleted one, the former ones.
func changeReference(c *pkgmerge.Change) *ResultFile {
	return fileReference(c.File(), cmp.Or(c.Result, c.Newest()).Index)
}

// fileReference returns the file of a result, nil if it is unknown.
func fileReference(path string, index int) *ResultFile {
	if path == "" {
		return nil
	}
	return &ResultFile{Path: path, Index: index}
}

func resourceReference(m identity.Meta) *ResultResource {
	return &ResultResource{APIVersion: m.APIVersion, Kind: m.Kind, Name: m.Name, Namespace: m.Namespace}
}

// stepResults returns the steps of an apply as results; applied may be nil.
func stepResults(applied *apply.Applied) []*Result {
	if applied == nil {
		return nil
	}
	var out []*Result
	for i, s := range applied.Steps {
		result := stepResult(s, i+1, len(applied.Steps))
		out = append(out, result)
		for _, text := range s.Unknown {
			out = append(out, &Result{Severity: SeverityWarning, Message: wording.Cut(text, wording.MaxMessage), ResourceRef: result.ResourceRef, File: result.File})
		}
	}
	return out
}

// stepResult returns the result about one of several steps; numbers count from 1.
func stepResult(s *apply.Step, number, count int) *Result {
	result := &Result{
		Severity: SeverityInfo,
		Message:  wording.Cut(fmt.Sprintf("step %d of %d: %s", number, count, s), wording.MaxMessage),
		Tags:     map[string]string{"action": s.Action, "step": strconv.Itoa(number)},
	}
	if s.Reason != "" {
		result.Severity = SeverityWarning
	}
	if s.Wave > 0 {
		result.Tags["wave"] = strconv.Itoa(s.Wave)
	}
	if s.Change != nil {
		meta := s.Change.Newest().Meta
		meta.Namespace = s.ID.Namespace
		result.ResourceRef, result.File = resourceReference(meta), changeReference(s.Change)
	}
	return result
}

// OverlayResults returns the results of a KRM function for an overlay: the summary first, then the
// caller's results in first, the changes that the overlay cannot express and, if isNew, the status
// of each change of the fork; warnings before infos (rules/overlay: needed changes).
func OverlayResults(made *overlay.Overlay, base string, isNew bool, first []*Result) []*Result {
	results := append(first, noticeResults(made.Merged.Notices, isAboutInput)...)
	counts := map[overlay.Status]int{}
	for _, s := range made.Changes {
		counts[s.Status]++
		if isNew {
			results = append(results, forkChangeResult(s))
		}
	}
	for _, u := range made.Unexpressed {
		results = append(results, &Result{Severity: SeverityWarning, Message: wording.Cut("not expressed in the overlay: "+u, wording.MaxMessage)})
	}
	if fields := transformerFields(made); fields != nil {
		results = append(results, &Result{
			Severity: SeverityInfo, Message: "the overlay also transforms the resources that upstream adds later: " + strings.Join(fields, ", "),
		})
	}
	slices.SortStableFunc(results, func(a, b *Result) int { return severityRank(a) - severityRank(b) })
	summary := fmt.Sprintf("overlay over %s: %s", base, wording.Plural(len(made.Files), "file"))
	if isNew {
		summary += countsText(counts)
	}
	return slices.Insert(results, 0, &Result{Severity: SeverityInfo, Message: wording.Cut(summary, wording.MaxMessage)})
}

// countsText returns the rest of a summary, with the number of changes of each status.
func countsText(counts map[overlay.Status]int) string {
	return fmt.Sprintf("; %d needed, %d redundant, %d colliding, %d dead",
		counts[overlay.Needed], counts[overlay.Redundant], counts[overlay.Colliding], counts[overlay.Dead])
}

// transformerFields returns the fields of an overlay's kustomization that apply to all resources.
func transformerFields(made *overlay.Overlay) (fields []string) {
	var k yaml.Node
	if err := yaml.Unmarshal(made.Files[0].Data, &k); err != nil || len(k.Content) == 0 {
		return nil
	}
	for _, name := range yamlnode.Names(k.Content[0]) {
		switch name {
		case "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations":
			fields = append(fields, name)
		}
	}
	return fields
}

// forkChangeResult returns the result of one change of the fork: a warning if the change collides or is lost.
func forkChangeResult(s overlay.Change) *Result {
	t := s.Resource
	r := &Result{
		Severity: SeverityInfo, Tags: map[string]string{"standing": string(s.Status)},
		ResourceRef: &ResultResource{APIVersion: t.APIVersion, Kind: t.Kind, Name: t.Name, Namespace: t.Namespace},
	}
	text := ": " + string(s.Status) + ": " + statusSentence(s.Status)
	name := wording.Cut(wording.Object(t.Kind, t.Namespace, t.Name), maxName)
	if s.Path != "" {
		r.Field = &ResultField{Path: s.Path}
		name += wording.CutFront(" "+s.Path, max(wording.MaxMessage-len(name)-len(text), minPath))
	}
	r.Message = name + text
	if s.Status == overlay.Colliding || s.Status == overlay.Dead {
		r.Severity = SeverityWarning
	}
	if s.Status == overlay.Colliding && s.Path != "" && !s.Secret {
		r.setValues(s.Values)
	}
	return r
}

// setValues adds the values of the three versions of a field.
func (r *Result) setValues(values [3]*yaml.Node) {
	r.Field.CurrentValue, r.Field.ProposedValue = displayValue(values[identity.Local]), displayValue(values[identity.Upstream])
	if o := values[identity.Origin]; o != nil {
		r.Tags["origin"] = displayText(o)
	}
}

// statusSentence explains the status of a change.
func statusSentence(w overlay.Status) string {
	switch w {
	case overlay.Redundant:
		return "upstream has it too, so the overlay leaves it out"
	case overlay.Colliding:
		return "upstream changed it differently; the overlay has your version"
	case overlay.Dead:
		return "upstream dropped the resource, so the overlay leaves it out"
	}
	return "upstream does not have it"
}

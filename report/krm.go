package report

import (
	"cmp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Results are what a merge came to as results of a KRM function: the summary
// first, then what the user is to look at, errors before warnings before infos
// (design 5). first are results of the caller's. The error is that of conflicts
// which are to fail the run.
func Results(merged *pkgmerge.Result, first framework.Results) (framework.Results, error) {
	t := newCounts(merged)
	failed := t.failing > 0
	var results framework.Results
	results = append(results, about(merged.Notices, isAboutInput)...)
	results = append(first, results...)
	for _, m := range merged.Changes {
		for _, conflict := range m.Conflicts {
			r := conflictResult(m, conflict, failed)
			if m.Fails(conflict) {
				r.Severity = framework.Error
			}
			results = append(results, r)
		}
		for _, remark := range m.Remarks {
			if !failed || merged.Apply != nil {
				results = append(results, remarkResult(m, remark))
			}
		}
	}
	for _, f := range merged.FileChanges {
		for _, remark := range f.Remarks {
			if !failed {
				results = append(results, &framework.Result{Severity: framework.Info, Message: fileRemarkMessage(f, remark), File: file(f.Name, 0)})
			}
		}
	}
	if !failed || merged.Apply != nil {
		results = append(results, about(merged.Notices, func(n pkgmerge.Notice) bool { return !isAboutInput(n) })...)
	}
	results = append(results, stepResults(merged.Apply)...)
	slices.SortStableFunc(results, func(a, b *framework.Result) int { return rank(a) - rank(b) })
	return slices.Insert(results, 0, t.summary()), t.err()
}

// isAboutInput reports whether a notice tells of what was merged, and not of what
// came of it.
func isAboutInput(n pkgmerge.Notice) bool { return n.Resource != nil || n.File != "" }

// about are the results of the notices that are chosen.
func about(notices []pkgmerge.Notice, chosen func(pkgmerge.Notice) bool) framework.Results {
	var out framework.Results
	for _, n := range notices {
		if chosen(n) {
			out = append(out, noticeResult(n))
		}
	}
	return out
}

// noticeResult tells of something that is no conflict.
func noticeResult(n pkgmerge.Notice) *framework.Result {
	r := &framework.Result{Severity: framework.Info, Message: n.Text}
	if n.Warning {
		r.Severity = framework.Warning
	}
	switch {
	case n.File != "":
		r.Message, r.File = wording.Cut(n.Text, MaxMessage), file(n.File, 0)
	case n.Change != nil:
		who := subject(n.Change)
		r.Message = wording.Cut(who, max(MaxMessage-len(n.Text)-2, len(wording.Ellipsis))) + ": " + n.Text
		r.ResourceRef, r.File = reference(n.Change.Newest().Meta), file(n.Change.File(), n.Change.Index())
	case n.Resource != nil:
		r.Message = wording.Cut(n.Text, MaxMessage)
		if n.Path != "" {
			who, said := "CRD "+n.Resource.Meta.Name, ": "+n.Text
			r.Message = wording.Cut(who+wording.CutFront(" "+n.Path, MaxMessage-len(who)-len(said))+said, MaxMessage)
			r.Field = &framework.Field{Path: n.Path}
		}
		r.ResourceRef, r.File = reference(n.Resource.Meta), file(cmp.Or(n.Resource.Label, n.Resource.File), n.Resource.Index)
	}
	return r
}

func rank(r *framework.Result) int {
	switch r.Severity {
	case framework.Error:
		return 0
	case framework.Warning:
		return 1
	}
	return 2
}

// conflictResult tells the user of one conflict: where, the three values, and
// which of them the result has, if the run has not failed.
func conflictResult(m *pkgmerge.Change, c merge.Conflict, failed bool) *framework.Result {
	r := &framework.Result{
		Message:     message(m, c, failed),
		Severity:    framework.Warning,
		ResourceRef: reference(m.Newest().Meta),
		Field:       &framework.Field{Path: c.Path.String()},
		Tags:        map[string]string{"conflict": string(c.Kind)},
		File:        file(m.File(), m.Index()),
	}
	if !failed {
		r.Tags["chosen"] = c.Chosen.String()
	}
	if len(c.Managers) > 0 {
		r.Tags["managers"] = strings.Join(c.Managers, ", ")
	}
	if showsValues(m, c) {
		r.Field.CurrentValue = shown(c.Values[identity.Local])
		r.Field.ProposedValue = shown(c.Values[identity.Upstream])
		if c.Values[identity.Origin] != nil {
			r.Tags["origin"] = shownText(c.Values[identity.Origin])
		}
	}
	return r
}

// remarkResult tells of what both sides changed and neither lost (design 5).
func remarkResult(m *pkgmerge.Change, remark merge.Remark) *framework.Result {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	r := conflictResult(m, c, true)
	r.Severity = framework.Info
	if isWarning(remark.Kind) {
		r.Severity = framework.Warning
		delete(r.Tags, "conflict")
	}
	if remark.Kind == merge.LocalRemoved {
		delete(r.Tags, "conflict")
	}
	r.Message = remarkMessage(m, remark)
	return r
}

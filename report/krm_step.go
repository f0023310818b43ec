package report

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/live"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// stepResults are the steps of an apply as results, which applied may be nil for.
func stepResults(applied *pkgmerge.Applied) framework.Results {
	if applied == nil {
		return nil
	}
	var out framework.Results
	for i, s := range applied.Steps {
		result := &framework.Result{
			Severity: framework.Info,
			Message:  wording.Cut(fmt.Sprintf("step %d of %d: %s", i+1, len(applied.Steps), stepSentence(s)), MaxMessage),
			Tags:     map[string]string{"action": s.Does, "step": strconv.Itoa(i + 1)},
		}
		if s.Does == pkgmerge.Keeps || s.Does == pkgmerge.Skips {
			result.Severity = framework.Warning
		}
		if s.Planned != nil {
			result.Tags["wave"] = strconv.Itoa(s.Planned.Wave)
		}
		if s.Change != nil {
			meta := s.Newest().Meta
			meta.Namespace = s.Object().Namespace
			result.ResourceRef, result.File = reference(meta), file(s.File(), s.Index())
		}
		out = append(out, result)
		out = append(out, mutationResults(s)...)
	}
	return out
}

// stepSentence says what is done to an object, and why nothing is.
func stepSentence(s *pkgmerge.Step) string {
	said := s.Does + " " + liveSubject(s.Object())
	switch reason := stepReason(s.Planned); {
	case reason != "":
		return said + ": " + reason
	case s.Does == pkgmerge.Updates && s.Fields == 0:
		return said + ": only the record of what was applied"
	case s.Does == pkgmerge.Updates:
		return said + ": " + wording.Plural(s.Fields, "field")
	}
	return said
}

// mutationResults warn of the values of an object that only the cluster has (design 15.6).
func mutationResults(s *pkgmerge.Step) framework.Results {
	if s.Planned == nil || s.Planned.Action != live.Apply {
		return nil
	}
	var out framework.Results
	for _, m := range s.Planned.Mutations {
		out = append(out, &framework.Result{
			Severity: framework.Warning,
			Message: wording.Cut(fmt.Sprintf("%s: %s gets the value of %s of %s when it is applied; this plan does not know it",
				liveSubject(s.Object()), m.TargetPath, m.SourcePath, liveSubject(m.Source)), MaxMessage),
		})
	}
	return out
}

// liveSubject names an object of a cluster.
func liveSubject(id identity.ID) string {
	name := id.Name
	if id.Namespace != "" {
		name = id.Namespace + "/" + name
	}
	return strings.TrimSpace(id.Kind + " " + name)
}

package report

import (
	"fmt"
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/wording"
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
		for _, text := range mutationTexts(s) {
			out = append(out, &framework.Result{Severity: framework.Warning, Message: text, ResourceRef: result.ResourceRef, File: result.File})
		}
	}
	return out
}

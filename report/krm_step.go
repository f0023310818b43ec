package report

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
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
		meta := s.Newest().Meta
		meta.Namespace = s.ID.Namespace
		said := s.Does + " " + liveSubject(s.ID)
		switch {
		case s.Does == pkgmerge.Updates && s.Fields == 0:
			said += ": only the record of what was applied"
		case s.Does == pkgmerge.Updates:
			said += ": " + wording.Plural(s.Fields, "field")
		}
		out = append(out, &framework.Result{
			Severity:    framework.Info,
			Message:     wording.Cut(fmt.Sprintf("step %d of %d: %s", i+1, len(applied.Steps), said), MaxMessage),
			ResourceRef: reference(meta), File: file(s.File(), s.Index()),
			Tags: map[string]string{"action": s.Does, "step": strconv.Itoa(i + 1)},
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

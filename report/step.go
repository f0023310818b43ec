package report

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Step is what an apply does to one object (design 13.5).
type Step struct {
	// Number counts from 1.
	Number int `json:"step"`
	// Action is create, update or unchanged.
	Action string `json:"action"`
	// Kind, Namespace and Name are the object's, as they may be seen.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Fields is how many fields of the live object change.
	Fields int `json:"fields"`
}

// newSteps are the steps of an apply, nil if there is none.
func newSteps(applied *pkgmerge.Applied) []Step {
	if applied == nil {
		return nil
	}
	steps := []Step{}
	for i, s := range applied.Steps {
		id := s.ID
		steps = append(steps, Step{
			Number: i + 1, Action: s.Does, Fields: s.Fields,
			Kind: visible(id.Kind), Namespace: visible(id.Namespace), Name: visible(id.Name),
		})
	}
	return steps
}

// stepResults are the steps of an apply as results, which applied may be nil for.
func stepResults(applied *pkgmerge.Applied) framework.Results {
	if applied == nil {
		return nil
	}
	var out framework.Results
	for i, s := range applied.Steps {
		said := s.Does + " " + liveSubject(s.ID)
		if s.Does == pkgmerge.Updates {
			said += ": " + wording.Plural(s.Fields, "field")
		}
		out = append(out, &framework.Result{
			Severity:    framework.Info,
			Message:     wording.Cut(fmt.Sprintf("step %d of %d: %s", i+1, len(applied.Steps), said), MaxMessage),
			ResourceRef: reference(s.Newest().Meta), File: file(s.File(), s.Index()),
			Tags: map[string]string{"action": s.Does, "step": strconv.Itoa(i + 1)},
		})
	}
	return out
}

// stepWord is what an apply does by an action.
func stepWord(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Added:
		return pkgmerge.Creates
	case pkgmerge.Changed:
		return pkgmerge.Updates
	case pkgmerge.Unchanged:
		return pkgmerge.Leaves
	}
	return actionName(a)
}

// sideNames are what the three versions are called.
func sideNames(applies bool) [3]string {
	if applies {
		return [3]string{"last-applied", "config", "live"}
	}
	return [3]string{"origin", "upstream", "local"}
}

// widest is the width of the longest of the sides' names.
func (r *Report) widest() int {
	width := 0
	for _, name := range r.Sides {
		width = max(width, utf8.RuneCountInString(name))
	}
	return width
}

// title is what the report is of.
func (r *Report) title() string {
	if r.Steps != nil {
		return "Apply report"
	}
	return "Merge report"
}

package report

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// counts counts what happened to the resources of the user's package.
type counts struct {
	actions   [pkgmerge.Deleted + 1]int
	conflicts int
	chosen    [3]int // by side
	failing   int
	first     string // the first conflict that fails the run
}

func newCounts(merged *pkgmerge.Result) *counts {
	t := &counts{}
	for _, m := range merged.Changes {
		t.actions[m.Action]++
		for _, conflict := range m.Conflicts {
			t.conflicts++
			t.chosen[conflict.Chosen]++
			if m.Fails(conflict) {
				t.failing++
				if t.failing == 1 {
					t.first = collision(m, conflict, nothingMerged)
				}
			}
		}
	}
	return t
}

// summary is the first result: what a user who reads one line is to know.
func (t *counts) summary() *framework.Result {
	if t.failing > 0 {
		return &framework.Result{
			Severity: framework.Error,
			Message:  t.failure(),
		}
	}
	total := t.actions[pkgmerge.Changed] + t.actions[pkgmerge.Added] + t.actions[pkgmerge.Deleted] + t.actions[pkgmerge.Unchanged]
	return &framework.Result{
		Severity: framework.Info,
		Message: fmt.Sprintf("merged %s: %d changed, %d added, %d deleted, %d unchanged; %s%s",
			wording.Plural(total, "resource"), t.actions[pkgmerge.Changed], t.actions[pkgmerge.Added], t.actions[pkgmerge.Deleted], t.actions[pkgmerge.Unchanged],
			wording.Plural(t.conflicts, "conflict"), t.sidesChosen()),
	}
}

// sidesChosen says whose versions the conflicts took.
func (t *counts) sidesChosen() string {
	var parts []string
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		switch t.chosen[side] {
		case 0:
		case t.conflicts:
			return fmt.Sprintf(", %s kept", side)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", t.chosen[side], side))
		}
	}
	if parts == nil {
		return ""
	}
	return ", " + strings.Join(parts, " and ") + " kept"
}

// failure says how many conflicts there are, and how many of them fail the run.
func (t *counts) failure() string {
	text := "merged nothing: " + wording.Plural(t.conflicts, "conflict")
	if t.failing < t.conflicts {
		return fmt.Sprintf("%s, %d of them to fail on", text, t.failing)
	}
	return text + " to fail on"
}

// err is the failure with the first conflict, for clients that show no results.
func (t *counts) err() error {
	if t.failing == 0 {
		return nil
	}
	return fmt.Errorf("%s (conflicts.prefer or a rule says fail), first %s", t.failure(), t.first)
}

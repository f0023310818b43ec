package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// counts counts the outcomes for the resources and files of the user's package.
type counts struct {
	actions      [pkgmerge.Deleted + 1]int
	resources    int // of local's package, and added
	files        int // without resources
	conflicts    int
	chosen       [3]int // by side
	marked       int    // conflicts for which no side was chosen
	failures     int
	firstFailure string // the first conflict that fails the run
	applied      *apply.Applied
	// overwritten counts the conflicts in which an apply overwrites live's version.
	overwritten int
}

// Summarize returns the summary of the report about some merges, which may be of a package and of its subpackages.
func Summarize(merged ...*pkgmerge.Result) Summary { return newCounts(merged...).toSummary() }

// newCounts counts the outcomes of several merges.
func newCounts(all ...*pkgmerge.Result) *counts {
	t := &counts{}
	for _, merged := range all {
		t.add(merged)
	}
	return t
}

func (t *counts) add(merged *pkgmerge.Result) {
	files := newMergedFiles(merged)
	if t.applied = apply.Of(merged); t.applied != nil {
		t.countSteps()
	}
	for _, m := range merged.Changes {
		if t.applied == nil {
			t.countAction(files.action(m), &t.resources)
		}
		for _, conflict := range m.Conflicts {
			outcome := nothingMerged
			if t.applied != nil {
				outcome = applyOutcome(m, conflict)
				t.countEffect(m, conflict)
			}
			t.countConflict(conflict, files.isMarked(m, conflict), m.Fails(conflict), func() string { return collisionText(m, conflict, outcome) })
		}
	}
	for _, f := range merged.FileChanges {
		t.countAction(files.fileAction(f), &t.files)
		for _, conflict := range f.Conflicts {
			t.countConflict(conflict, files.isFileMarked(f), f.Fails(), func() string { return fileCollision(f, conflict, nothingMerged) })
		}
	}
}

func (t *counts) countAction(a pkgmerge.Action, of *int) {
	t.actions[a]++
	if a != pkgmerge.Absent {
		*of++
	}
}

// countConflict counts a conflict; message returns its message.
func (t *counts) countConflict(conflict merge.Conflict, marked, fails bool, message func() string) {
	t.conflicts++
	if marked {
		t.marked++
	} else {
		t.chosen[conflict.Chosen]++
	}
	if !fails {
		return
	}
	if t.failures++; t.failures == 1 {
		t.firstFailure = message()
	}
}

// countSteps counts the steps of an apply, whatever becomes of the recording: an object that is refused, kept or skipped
// is unchanged.
func (t *counts) countSteps() {
	for _, s := range t.applied.Steps {
		t.countAction(actionOf(s), &t.resources)
	}
}

// actionOf returns the action of a step on the live objects.
func actionOf(s *apply.Step) pkgmerge.Action {
	switch s.Action {
	case apply.Create:
		return pkgmerge.Added
	case apply.Update:
		return pkgmerge.Changed
	case apply.Prune:
		return pkgmerge.Deleted
	}
	return pkgmerge.Unchanged
}

// countEffect counts a conflict in which an apply overwrites live's version.
func (t *counts) countEffect(m *pkgmerge.Change, conflict merge.Conflict) {
	if !apply.Refused(m) && (conflict.Kind == merge.Drift || conflict.Kind == merge.Owned) {
		t.overwritten++
	}
}

// summary returns the first result, which has the outcome in one line.
func (t *counts) summary() *Result {
	if t.failures > 0 {
		return &Result{
			Severity: SeverityError,
			Message:  t.failure(),
		}
	}
	if t.applied != nil {
		return &Result{Severity: SeverityInfo, Message: t.appliedSummary()}
	}
	total := wording.Plural(t.resources, "resource")
	if t.files > 0 {
		total += " and " + wording.Plural(t.files, "other file")
	}
	return &Result{
		Severity: SeverityInfo,
		Message: fmt.Sprintf("merged %s: %d changed, %d added, %d deleted, %d unchanged; %s%s",
			total, t.actions[pkgmerge.Changed], t.actions[pkgmerge.Added], t.actions[pkgmerge.Deleted], t.actions[pkgmerge.Unchanged],
			wording.Plural(t.conflicts, "conflict"), t.keptText()),
	}
}

// keptText says whose values the conflicts took.
func (t *counts) keptText() string {
	values := "value"
	if t.conflicts > 1 {
		values = "values"
	}
	switch t.conflicts {
	case 0:
		return ""
	case t.marked:
		return ", marked"
	case t.chosen[identity.Upstream]:
		return ": upstream's " + values + " taken"
	case t.chosen[identity.Local]:
		return ": your " + values + " kept"
	}
	var parts []string
	for _, part := range [...]struct {
		count int
		says  string
	}{{t.chosen[identity.Upstream], "with upstream's value"}, {t.chosen[identity.Local], "with yours"}, {t.marked, "marked"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.says))
		}
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// failure counts the conflicts and the ones that fail the run.
func (t *counts) failure() string {
	text := "nothing merged: " + wording.Plural(t.conflicts, "conflict")
	if t.applied != nil {
		text = t.appliedSummary() + "; " + wording.Plural(t.conflicts, "conflict")
	}
	if t.failures < t.conflicts {
		text += fmt.Sprintf(", %d of them", t.failures)
	}
	if t.failures == 1 {
		return text + " fails the run"
	}
	return text + " fail the run"
}

// err returns the failure with the first conflict, for clients that show no results.
func (t *counts) err() error {
	if t.failures == 0 {
		return nil
	}
	if t.applied != nil {
		return fmt.Errorf("%s, first %s", t.failure(), t.firstFailure)
	}
	return fmt.Errorf("%s (conflicts.prefer or a rule says fail), first %s", t.failure(), t.firstFailure)
}

// appliedSummary returns the result of an apply in one line (rules/apply: results of an apply).
func (t *counts) appliedSummary() string {
	steps := len(t.applied.Steps)
	text := fmt.Sprintf("%s: %s: %d created, %d updated, %d unchanged", t.applied.Strategy, wording.Plural(steps, "resource"),
		t.applied.Count(apply.Create), t.applied.Count(apply.Update), t.applied.Count(apply.Unchanged))
	for _, of := range [...]struct{ action, done string }{{apply.Refuse, "refused"}, {apply.Prune, "pruned"}, {apply.Keep, "kept"}, {apply.Skip, "skipped"}} {
		if count := t.applied.Count(of.action); count > 0 {
			text += fmt.Sprintf(", %d %s", count, of.done)
		}
	}
	text += fmt.Sprintf("; %s overwritten", wording.Plural(t.overwritten, "live change"))
	return text
}

// addedBesideSwitch reports whether one side added a field that conflicts with a switch by the
// other side: to another member of the union, or to an apiVersion without the field (rules/unions:
// switches; rules/resources: a new apiVersion).
func addedBesideSwitch(c merge.Conflict) bool {
	deleted := c.Kind == merge.UpstreamDeleted || c.Kind == merge.LocalDeleted
	return deleted && c.Path != nil && c.Values[identity.Origin] == nil
}

// switchSentence describes such a conflict, with the value if values is set.
func switchSentence(c merge.Conflict, values bool) string {
	adder, who, other := identity.Local, "you", "upstream"
	if c.Kind == merge.LocalDeleted {
		adder, who, other = identity.Upstream, other, who
	}
	text := " added it"
	if values {
		text = " set it to " + excerpt(c.Values[adder], nil)
	}
	return who + text + ", but " + other + " switched to an alternative without it"
}

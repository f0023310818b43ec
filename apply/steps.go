package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Applied is the effect of an apply on a cluster.
type Applied struct {
	Strategy string // its name
	// Steps has a step for each object, in the order of the config, or of the plan where there is an inventory
	// (rules/live: plans).
	Steps []*Step
}

// Step is the action of an apply on one object (rules/apply: results of an apply).
type Step struct {
	ID     identity.ID
	Change *pkgmerge.Change // nil for an object that the inventory lists and that is neither in config nor live
	Action string           // Create, Update, Unchanged or Refuse, and in a plan also Prune, Keep or Skip
	Fields int              // the number of changed fields of the live object, without the records of the apply
	Wave   int              // the number of its group in kpt's order, from 1; 0 without an inventory
	// Reason is the reason why an object is refused, kept or skipped, or what is lost with a pruned one, in words (rules/apply:
	// refused objects; rules/live: the prune set; rules/live: errors).
	Reason string
	// Unknown describes the values that the object gets from other objects during the apply (rules/live: mutations).
	Unknown []string

	run *run
}

// The actions of steps.
const (
	Create    = "create"
	Update    = "update"
	Unchanged = "unchanged"
	Refuse    = "refuse"
	Prune     = "prune"
	Keep      = "keep"
	Skip      = "skip"
)

// Count returns the number of steps with an action.
func (a *Applied) Count(action string) int {
	count := 0
	for _, s := range a.Steps {
		if s.Action == action {
			count++
		}
	}
	return count
}

// Of returns the effect of an apply, nil for the result of any other merge.
func Of(result *pkgmerge.Result) *Applied {
	if r, is := result.Run.(*run); is {
		return r.applied
	}
	return nil
}

// String describes the step, with its reason or the number of changed fields.
func (s *Step) String() string {
	text := s.Action + " " + nameOf(s.ID)
	switch {
	case s.Reason != "":
		return text + ": " + s.Reason
	case s.Action == Update && s.Fields == 0:
		return text + ": only the record of the last apply"
	case s.Action == Update:
		return text + ": " + wording.Plural(s.Fields, "field")
	}
	return text
}

// nameOf returns the name of an object in sentences.
func nameOf(id identity.ID) string { return wording.Object(id.Kind, id.Namespace, id.Name) }

func (r *run) steps(changes []*pkgmerge.Change) (out []*Step) {
	if r.plan != nil {
		of := make(map[identity.ID]*pkgmerge.Change, len(changes))
		for _, change := range changes {
			of[change.ID] = change
		}
		for _, planned := range r.plan.Steps {
			out = append(out, r.plannedStep(of[planned.ID], planned))
		}
		return out
	}
	of := make(map[*pkgmerge.Resource]*pkgmerge.Change, len(changes))
	for _, change := range changes {
		of[change.Versions[identity.Upstream]] = change
	}
	for _, config := range r.packages[identity.Upstream].Resources {
		s := r.step(of[config])
		if r.isForeign && s.Action != Refuse {
			s.Action, s.Reason, s.Fields = Skip, foreignText, 0
		}
		out = append(out, s)
	}
	return append(out, r.leftSteps(changes)...)
}

func (r *run) step(c *pkgmerge.Change) *Step {
	s := &Step{ID: c.ID, Change: c, Action: Unchanged, run: r}
	switch {
	case Refused(c):
		s.Action, s.Reason = Refuse, refusalText(c)
	case c.Action == pkgmerge.Added:
		s.Action = Create
	case c.Action == pkgmerge.Changed:
		s.Action, s.Fields = Update, r.objects[c.ID].fields
	}
	return s
}

// Refused reports whether the server refuses an object, also because of a conflict with another manager: it stays as
// it is, and the other objects are applied (rules/apply: refused objects).
func Refused(c *pkgmerge.Change) bool {
	return slices.ContainsFunc(c.Conflicts, func(conflict merge.Conflict) bool { return refuses(c, conflict) })
}

// refuses reports whether an object is refused because of a conflict.
func refuses(c *pkgmerge.Change, conflict merge.Conflict) bool {
	return (conflict.Kind == merge.Refused || conflict.Kind == merge.Owned) && c.Fails(conflict)
}

// refusalText returns the first reason why an object is refused, and the number of the others.
func refusalText(c *pkgmerge.Change) (text string) {
	others := -1
	for _, conflict := range c.Conflicts {
		if !refuses(c, conflict) {
			continue
		}
		if others++; others > 0 {
			continue
		}
		if text = conflict.Reason; conflict.Kind == merge.Owned {
			text = "it conflicts with manager " + strings.Join(conflict.Managers, " and manager ")
		}
	}
	if others > 0 {
		text += ", and " + wording.Plural(others, "other reason")
	}
	return text
}

// failureText describes the effect of an apply with conflicts that fail the run, "" for any other: an apply is not
// atomic (rules/apply: refused objects).
func (r *run) failureText(changes []*pkgmerge.Change) string {
	var refused []string
	fails := false
	for _, c := range changes {
		if Refused(c) {
			refused = append(refused, nameOf(c.ID))
		}
		fails = fails || slices.ContainsFunc(c.Conflicts, c.Fails)
	}
	if r.isForeign && fails {
		return foreignText
	}
	client, rest := r.clientEffect()
	if len(refused) > 1 {
		rest = strings.Replace(rest, "on it", "on them", 1)
	}
	switch {
	case !fails:
		return ""
	case refused == nil:
		return "the conflicts fail this run and no apply: " + client + " would overwrite the live values"
	case len(refused) > maxNamed:
		refused = append(refused[:maxNamed], wording.Plural(len(refused)-maxNamed, "other"))
	}
	return "an apply is not atomic: " + client + " applies every object but " + strings.Join(refused, ", ") + rest
}

// clientEffect returns the name of the client, and what it does besides if an object is refused.
func (r *run) clientEffect() (client, rest string) {
	switch {
	case r.strategy.isHelm():
		return "helm upgrade", ", deletes nothing, and fails the release"
	case r.plan != nil:
		return "kpt live apply", ", skips the objects that depend on it, and prunes"
	}
	return "kubectl apply", ", prunes nothing, and exits with 1"
}

// maxNamed is the number of refused objects that a message names.
const maxNamed = 3

// plannedStep returns the step of a plan; the change is nil for an object that the inventory lists and nothing else has.
func (r *run) plannedStep(c *pkgmerge.Change, planned live.Step) *Step {
	s := &Step{Action: Prune}
	switch {
	case c == nil:
	case planned.Action == live.Apply, planned.Reason == live.Refused:
		s = r.step(c)
		for _, m := range planned.Mutations {
			s.Unknown = append(s.Unknown, fmt.Sprintf("%s: %s gets the value of %s of %s when it is applied; the plan does not know the value",
				nameOf(planned.ID), m.TargetPath, m.SourcePath, nameOf(m.Source)))
		}
	default:
		s.Change, s.Action = c, string(planned.Action)
	}
	s.ID, s.Wave, s.Reason = planned.ID, planned.Wave, cmp.Or(reasonText(planned), s.Reason)
	return s
}

// reasonText returns the reason why an object is kept or skipped, "" for other steps.
func reasonText(s live.Step) string {
	other := nameOf(s.Other)
	switch s.Reason {
	case live.Annotated:
		return fmt.Sprintf("its annotation %s: %s protects it from pruning", s.Annotation, s.Value)
	case live.Unowned:
		return "it belongs to no inventory; inventoryPolicy adopt takes it"
	case live.Foreign:
		return fmt.Sprintf("it belongs to another inventory, %s", s.Value)
	case live.Inhabited:
		return fmt.Sprintf("it contains %s", other)
	case live.DependencyPruned:
		return fmt.Sprintf("it depends on %s, which is not in config", other)
	case live.DependencySkipped:
		return fmt.Sprintf("it depends on %s, which is not applied", other)
	case live.DependentApplied:
		return fmt.Sprintf("%s depends on it, and is in config", other)
	case live.DependentStays:
		return fmt.Sprintf("%s depends on it, and stays", other)
	case live.SameObject:
		return fmt.Sprintf("config has the object as %s, in another group", other)
	}
	return ""
}

package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Action is what becomes of a resource.
type Action int

const (
	// Apply: the resource is created or updated, or is as it should be.
	Apply Action = iota
	// Prune: the resource is deleted.
	Prune
	// Keep: the resource would be pruned, and says that it is to stay. It loses the
	// annotation OwningInventory, and the inventory loses it (rules/live: the prune
	// set).
	Keep
	// Skip: the resource is neither applied nor pruned.
	Skip
)

// String is the action as results name it (rules/apply: results of an apply).
func (a Action) String() string {
	return [...]string{Apply: "apply", Prune: "prune", Keep: "keep", Skip: "skip"}[a]
}

// Reason is why a resource is kept or skipped.
type Reason int

const (
	// None: the resource is applied or pruned.
	None Reason = iota
	// Annotated: the live annotation Annotation: Value says that it is to stay.
	Annotated
	// Unowned: the live object belongs to no inventory, and the policy is strict.
	Unowned
	// Foreign: the live object belongs to another inventory, Value.
	Foreign
	// Inhabited: the config still has Other in the Namespace, or the inventory is
	// there.
	Inhabited
	// DependencyPruned: the resource depends on Other, which the config has not, so
	// that kpt would neither apply the one nor prune the other.
	DependencyPruned
	// DependencySkipped: the resource depends on Other, which is not applied.
	DependencySkipped
	// DependentApplied: Other depends on the resource, and is in the config.
	DependentApplied
	// DependentStays: Other depends on the resource, and is not pruned.
	DependentStays
	// SameObject: the config has the live object as Other, in another group.
	SameObject
	// Refused: the server would refuse the resource.
	Refused
)

// String is the reason in a word.
func (r Reason) String() string {
	return [...]string{
		None: "none", Annotated: "annotated", Unowned: "unowned", Foreign: "foreign", Inhabited: "inhabited",
		DependencyPruned: "dependency-pruned", DependencySkipped: "dependency-skipped",
		DependentApplied: "dependent-applied", DependentStays: "dependent-stays",
		SameObject: "same-object", Refused: "refused",
	}[r]
}

// Step is what becomes of one resource, and why.
type Step struct {
	ID     identity.ID
	Action Action
	// Pruning reports whether the resource is one of the prune set, and not of the
	// config: what is skipped has no other sign of it.
	Pruning bool
	// Wave counts what kpt waits for together, from 1: the waves of applying, then
	// those of pruning. Without an inventory it is 0.
	Wave   int
	Reason Reason
	// Other is the resource that the reason is about.
	Other identity.ID
	// Annotation and Value are the live annotation that the reason is about.
	Annotation, Value string
	// Mutations are the values that the resource gets when it is applied (rules/live:
	// mutations).
	Mutations []Mutation
}

// because is the step with another action, and its reason.
func (s Step) because(action Action, reason Reason, other identity.ID) Step {
	s.Action, s.Reason, s.Other = action, reason, other
	return s
}

// annotated is the step with another action, and the live annotation that is its reason.
func (s Step) annotated(action Action, reason Reason, annotation, value string) Step {
	s.Action, s.Reason, s.Annotation, s.Value = action, reason, annotation, value
	return s
}

// ProblemKind says why there is no plan.
type ProblemKind int

const (
	// Cycle: resources depend on each other in a circle. Edges has every dependency
	// between them.
	Cycle ProblemKind = iota
	// Self: a resource depends on itself. Edges has that one dependency.
	Self
	// External: a resource depends on another that is neither in the config nor in
	// the prune set. Edges has that one dependency.
	External
	// Repeated: an annotation names a resource twice. Edges has that one dependency.
	Repeated
	// Malformed: an annotation cannot be read. Detail says what is wrong with it.
	Malformed
	// Duplicate: the config has two resources of one ID.
	Duplicate
	// Emptied: the config has nothing, and the inventory has something.
	Emptied
)

// Edge is a dependency: From is applied after To, and pruned before it.
type Edge struct{ From, To identity.ID }

// Problem is a reason that there is no plan (rules/live: errors).
type Problem struct {
	Kind ProblemKind
	// Object is the resource that has the problem; for a cycle the first one of it,
	// and for Emptied the inventory.
	Object identity.ID
	// Annotation is the annotation that has it, "" if none has.
	Annotation string
	Edges      []Edge
	Detail     string
}

// String is the problem as a sentence.
func (p Problem) String() string {
	switch p.Kind {
	case Cycle:
		return "resources depend on each other in a circle: " + circle(p.Edges)
	case Self:
		return fmt.Sprintf("%v depends on itself%s", p.Object, p.in())
	case External:
		return fmt.Sprintf("%v depends on %v%s, which is neither in the config nor about to be pruned", p.Object, p.Edges[0].To, p.in())
	case Repeated:
		return fmt.Sprintf("%v names %v twice%s", p.Object, p.Edges[0].To, p.in())
	case Malformed:
		return fmt.Sprintf("%v has an annotation %s that cannot be read: %s", p.Object, p.Annotation, p.Detail)
	case Duplicate:
		return fmt.Sprintf("%v occurs twice in the config", p.Object)
	}
	return fmt.Sprintf("the config has no resource, and all %s of the inventory %v would be pruned", p.Detail, p.Object)
}

// in names the annotation, if there is one.
func (p Problem) in() string {
	if p.Annotation == "" {
		return ""
	}
	return " (annotation " + p.Annotation + ")"
}

func circle(edges []Edge) string {
	parts := make([]string, len(edges))
	for i, e := range edges {
		parts[i] = fmt.Sprintf("%v depends on %v", e.From, e.To)
	}
	return strings.Join(parts, ", ")
}

// Refusal is the error of a plan that cannot be: it has all problems, found before
// anything is done.
type Refusal struct{ Problems []Problem }

func (r *Refusal) Error() string {
	parts := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}

// refusal is the error of problems, nil if there are none.
func refusal(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &Refusal{Problems: problems}
}

// quote shows what somebody wrote, as long as a line bears.
func quote(text string) string { return fmt.Sprintf("%q", wording.Cut(text, 80)) }

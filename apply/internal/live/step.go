package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Action is the action of a plan on a resource, as results name it (rules/apply: results of an apply).
type Action string

const (
	Apply Action = "apply" // creates or updates the resource, or leaves it if nothing differs
	Prune Action = "prune" // deletes the resource
	// Keep leaves a resource of the prune set that an annotation protects. The resource loses the annotation
	// OwningInventory, and the inventory loses the resource (rules/live: the prune set).
	Keep Action = "keep"
	Skip Action = "skip" // neither applies nor prunes the resource
)

// Reason is the reason why a resource is kept or skipped.
type Reason string

const (
	None      Reason = ""          // the resource is applied or pruned
	Annotated Reason = "annotated" // the live annotation Annotation: Value protects the resource from pruning
	Unowned   Reason = "unowned"   // the live object belongs to no inventory, and the input does not adopt
	Foreign   Reason = "foreign"   // the live object belongs to another inventory, Value
	Inhabited Reason = "inhabited" // the Namespace has the resource Other of the config, or the inventory
	// DependencyPruned: the resource depends on Other, which the config lacks: kpt would neither apply the one nor
	// prune the other.
	DependencyPruned  Reason = "dependency-pruned"
	DependencySkipped Reason = "dependency-skipped" // the resource depends on Other, which is not applied
	DependentApplied  Reason = "dependent-applied"  // Other depends on the resource, and is in the config
	DependentStays    Reason = "dependent-stays"    // Other depends on the resource, and is not pruned
	SameObject        Reason = "same-object"        // the config has the live object as Other, in another group
	Refused           Reason = "refused"            // the server would refuse the resource
)

// Step is the action on one resource, and its reason.
type Step struct {
	ID     identity.ID
	Action Action
	// Pruning reports whether the resource is in the prune set, and not in the config.
	Pruning bool
	// Wave numbers the groups of resources for which kpt waits together, from 1: first the waves of applying, then
	// those of pruning. It is 0 without an inventory.
	Wave   int
	Reason Reason
	// Other is the resource in the reason.
	Other identity.ID
	// Annotation and Value are the live annotation in the reason.
	Annotation, Value string
	// Mutations are the values that the resource gets during the apply (rules/live: mutations).
	Mutations []Mutation
}

// skip returns the step that skips the resource for a reason.
func (s Step) skip(reason Reason, other identity.ID) Step {
	s.Action, s.Reason, s.Other = Skip, reason, other
	return s
}

// ProblemKind is a reason why a config has no plan.
type ProblemKind int

const (
	Cycle     ProblemKind = iota // resources depend on each other in a circle; Edges has all dependencies between them
	Self                         // a resource depends on itself
	External                     // a resource depends on one that is neither in the config nor in the prune set
	Repeated                     // an annotation names a resource twice
	Malformed                    // an annotation cannot be read; Detail has the error
	Duplicate                    // the config has two resources of one ID
	Emptied                      // the config is empty, and the inventory is not
)

// Edge is a dependency: From is applied after To, and pruned before it.
type Edge struct{ From, To identity.ID }

// Problem is a reason that there is no plan (rules/live: errors).
type Problem struct {
	Kind ProblemKind
	// Object is the resource with the problem, the first resource of a cycle, or the inventory for Emptied.
	Object identity.ID
	// Annotation is the name of the annotation with the problem, "" if there is none.
	Annotation string
	Edges      []Edge
	Detail     string
}

// String returns the problem as a sentence.
func (p Problem) String() string {
	in := ""
	if p.Annotation != "" {
		in = " (annotation " + p.Annotation + ")"
	}
	switch p.Kind {
	case Cycle:
		parts := make([]string, len(p.Edges))
		for i, e := range p.Edges {
			parts[i] = fmt.Sprintf("%v depends on %v", e.From, e.To)
		}
		return "resources depend on each other in a circle: " + strings.Join(parts, ", ")
	case Self:
		return fmt.Sprintf("%v depends on itself%s", p.Object, in)
	case External:
		return fmt.Sprintf("%v depends on %v%s, which is neither in the config nor about to be pruned", p.Object, p.Edges[0].To, in)
	case Repeated:
		return fmt.Sprintf("%v names %v twice%s", p.Object, p.Edges[0].To, in)
	case Malformed:
		return fmt.Sprintf("%v has an annotation %s that cannot be read: %s", p.Object, p.Annotation, p.Detail)
	case Duplicate:
		return fmt.Sprintf("%v occurs twice in the config", p.Object)
	}
	return fmt.Sprintf("the config has no resource, and all %s of the inventory %v would be pruned", p.Detail, p.Object)
}

// Refusal is the error of a config without a plan: it has all problems, found before anything is done.
type Refusal struct{ Problems []Problem }

func (r *Refusal) Error() string {
	parts := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}

// quote quotes a user's text, shortened to fit a line.
func quote(text string) string { return fmt.Sprintf("%q", wording.Cut(text, 80)) }

package live

import "github.com/resource-merge/resource-merge/identity"

// Action is what becomes of a resource.
type Action int

const (
	// Apply: the resource is created or updated, or is as it should be.
	Apply Action = iota
	// Prune: the resource is deleted.
	Prune
	// Keep: the resource would be pruned, and says that it is to stay. It loses the
	// annotation OwningInventory, and the inventory loses it (design 15.3).
	Keep
	// Skip: the resource is neither applied nor pruned.
	Skip
)

// String is the action as results name it (design 13).
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
	// Mutations are the values that the resource gets when it is applied (design 15.6).
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

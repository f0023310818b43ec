package pkgmerge

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
)

// Applied is what an apply does to a cluster.
type Applied struct {
	// Strategy is the name of the strategy.
	Strategy string
	// Steps are what is done to each object, in the order in which config has them, or in
	// that of the plan where there is an inventory (design 15).
	Steps []*Step
}

// Step is what an apply does to one object (design 13.5).
type Step struct {
	// Change is nil for an object that the inventory lists and that is neither in config nor
	// live.
	*Change
	// Does is create, update or unchanged, and in a plan also prune, keep or skip.
	Does string
	// Fields is how many fields of the live object change, but for those that keep the
	// books of the apply.
	Fields int
	// Planned is the step of the plan, nil where there is no inventory.
	Planned *live.Step
}

// Object is the object that the step is about.
func (s *Step) Object() identity.ID {
	if s.Planned != nil {
		return s.Planned.ID
	}
	return s.ID
}

// What a step does.
const (
	Creates = "create"
	Updates = "update"
	Leaves  = "unchanged"
	Prunes  = "prune"
	Keeps   = "keep"
	Skips   = "skip"
)

// Count is how many steps do one thing.
func (a *Applied) Count(does string) int {
	count := 0
	for _, s := range a.Steps {
		if s.Does == does {
			count++
		}
	}
	return count
}

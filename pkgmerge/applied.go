package pkgmerge

import "github.com/resource-merge/resource-merge/identity"

// Applied is what an apply does to a cluster.
type Applied struct {
	// Strategy is the name of the strategy.
	Strategy string
	// Steps are what is done to each object, in the order in which config has them.
	Steps []*Step
}

// Step is what an apply does to one object (design 13.5).
type Step struct {
	*Change
	// Does is create, update or unchanged.
	Does string
	// Fields is how many fields of the live object change, but for those that keep the
	// books of the apply.
	Fields int
}

// What a step does.
const (
	Creates = "create"
	Updates = "update"
	Leaves  = "unchanged"
)

// applied are the steps of an apply, nil where live objects are merged into a package.
func (c *cluster) applied(changes []*Change) *Applied {
	if !c.isApply() {
		return nil
	}
	of := make(map[*Resource]*Change, len(changes))
	for _, change := range changes {
		if u := change.Versions[identity.Upstream]; u != nil {
			of[u] = change
		}
	}
	out := &Applied{Strategy: c.strategy.Name()}
	for _, r := range c.packages[identity.Upstream].Resources {
		s := &Step{Change: of[r], Does: Leaves}
		switch s.Action {
		case Added:
			s.Does = Creates
		case Changed:
			s.Does, s.Fields = Updates, s.fields
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

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

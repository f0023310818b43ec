package pkgmerge

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

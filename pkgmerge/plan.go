package pkgmerge

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
)

// plan is what `kpt live apply` does with a package that has an inventory (design 15).
type plan struct {
	*live.Plan
	input live.Input
	// steps are those of the plan, by object.
	steps map[identity.ID]*live.Step
	// holder is the object of the inventory.
	holder identity.ID
}

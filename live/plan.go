package live

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Input is what a plan is made of.
type Input struct {
	// Config is what is to be applied (design 13), without inventories.
	Config []Object
	// Live is what the cluster has. What an inventory lists and Live lacks is gone.
	Live []Object
	// Inventory is what Choose found; nil if the package and the cluster have none.
	Inventory *Inventory
	Policy    Policy
	// MayBeEmpty lets a config without resources prune everything (design 15.3).
	MayBeEmpty bool
	// Refused reports whether the server would refuse a resource of the config (design
	// 13). Nil refuses nothing.
	Refused func(identity.ID) bool
}

// Plan is what `kpt live apply` would do, in its order.
type Plan struct {
	// Owner is what the annotation OwningInventory becomes of all that is applied, ""
	// without an inventory. It is set before merging, so that last-applied has it too.
	Owner string
	Steps []Step
	// Resources is what the inventory lists afterwards.
	Resources []identity.ID
	inventory *Inventory
}

// Inventory is the object of the inventory afterwards (design 15.7), nil if there is
// none.
func (p *Plan) Inventory() *yaml.Node {
	if p.inventory == nil {
		return nil
	}
	return p.inventory.With(p.Resources)
}

package live

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// InventoryID is the label that an inventory has its id in.
const InventoryID = "cli-utils.sigs.k8s.io/inventory-id"

// OwningInventory is the annotation that has the id of the inventory that a resource
// belongs to (design 15.2).
const OwningInventory = "config.k8s.io/owning-inventory"

// Inventory lists what a package has in the cluster (design 15.1). It is a
// ResourceGroup, or a ConfigMap with the label InventoryID.
type Inventory struct {
	// Object is the object that holds it.
	Object identity.ID
	// ID tells it from others: it is what the annotation OwningInventory gets.
	ID string
	// Resources are what it lists, in its order: nothing before the first apply.
	Resources []identity.ID
	// Live reports whether the cluster has it.
	Live bool

	// node is the object itself; what is not live has no list yet.
	node *yaml.Node
}

// IsInventory reports whether a resource is an inventory, and thus no config: a
// ResourceGroup of kpt's, or a ConfigMap with an id.
func IsInventory(o Object) bool {
	switch o.groupKind() {
	case groupKind{"kpt.dev", "ResourceGroup"}:
		return true
	case groupKind{"", "ConfigMap"}:
		return labelOf(o) != ""
	}
	return false
}

// byLabel reports whether this kind of inventory is found by its id in its namespace,
// whatever its name, as kpt finds ConfigMaps. A ResourceGroup is found by its name.
func (v *Inventory) byLabel() bool { return v.Object.Kind == "ConfigMap" }

// is reports whether an object of the cluster is the inventory that a package names as
// its own.
func (v *Inventory) is(o Object) bool {
	if v.byLabel() {
		return o.ID.Namespace == v.Object.Namespace && o.ID.Kind == v.Object.Kind && labelOf(o) == v.ID
	}
	return o.ID == v.Object
}

// labelOf is the id that an object has as a label, "" if it has none.
func labelOf(o Object) string { return o.text("metadata", "labels", InventoryID) }

// String names the inventory in messages.
func (v *Inventory) String() string { return fmt.Sprintf("%v with the id %s", v.Object, v.ID) }

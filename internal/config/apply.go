package config

import (
	"cmp"

	"github.com/resource-merge/resource-merge/live"
)

// Apply are the settings of the strategies apply and server-side-apply, and of
// resource-merge where it reads origin from live objects (design 13).
type Apply struct {
	// Namespace is that of config which names none; the default is default.
	Namespace string `json:"namespace"`
	// FieldManager is who applies, under server-side-apply; the default is kubectl.
	FieldManager string `json:"fieldManager"`
	// Force takes fields from other managers, under server-side-apply; the default is
	// false.
	Force bool `json:"force"`
	// InventoryPolicy is what of the cluster a package with an inventory may take: strict,
	// its own objects only, or adopt, those of no inventory too; the default is strict.
	InventoryPolicy string `json:"inventoryPolicy"`
	// Adopt are the managers whose fields are taken from live objects into the package,
	// under resource-merge with an origin from last-applied; the default is kubectl and its
	// subcommands that edit.
	Adopt []string `json:"adopt"`
}

// With is a with other's settings where other has any.
func (a Apply) With(other Apply) Apply {
	return Apply{
		Namespace:    cmp.Or(other.Namespace, a.Namespace),
		FieldManager: cmp.Or(other.FieldManager, a.FieldManager),
		Force:        other.Force || a.Force,

		InventoryPolicy: cmp.Or(other.InventoryPolicy, a.InventoryPolicy),
		Adopt:           a.Adopt,
	}
}

const (
	strictInventory = "strict"
	adoptInventory  = "adopt"
)

// InventoryPolicies are the policies that a config may name; the first is the usual one.
func InventoryPolicies() []string { return []string{strictInventory, adoptInventory} }

func (a Apply) inventoryPolicy() live.Policy {
	if a.InventoryPolicy == adoptInventory {
		return live.Adopt
	}
	return live.Strict
}

func (a Apply) namespace() string { return cmp.Or(a.Namespace, "default") }

func (a Apply) adopt() []string {
	if a.Adopt != nil {
		return a.Adopt
	}
	return []string{"kubectl", "kubectl-edit", "kubectl-patch", "kubectl-replace", "kubectl-set", "kubectl-label", "kubectl-annotate"}
}

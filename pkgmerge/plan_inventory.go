package pkgmerge

import (
	"bytes"
	"path"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/live"
)

// isInventory reports whether a resource names an inventory: a ResourceGroup or a ConfigMap
// that has an id, or the Kptfile of the package if it has a field inventory (design 15.1).
func (r *Resource) isInventory() bool {
	isKptfile := r.isKptfile() && path.Dir(r.File) == "."
	isGroup := identity.Group(r.Meta.APIVersion) == "kpt.dev" && r.Meta.Kind == "ResourceGroup"
	isMap := identity.Group(r.Meta.APIVersion) == "" && r.Meta.Kind == "ConfigMap"
	says := "inventory"
	if !isKptfile {
		says = live.InventoryID
	}
	if !isKptfile && !isGroup && !isMap || r.in == nil && !bytes.Contains(r.item.Text(), []byte(says)) {
		return false
	}
	tree, err := r.Tree()
	switch {
	case err != nil:
		return false
	case isKptfile:
		return yamlnode.Field(tree, "inventory") != nil
	}
	return yamlnode.Lookup(tree, "metadata", "labels", live.InventoryID) != nil
}

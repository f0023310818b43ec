package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// isInventory reports whether a resource is an inventory template of kpt's. It
// is local's own: never deleted, never overwritten (design 3.8).
func isInventory(tree *yaml.Node) bool {
	labels := yamlnode.Lookup(tree, "metadata", "labels")
	return yamlnode.Text(yamlnode.Field(tree, "kind")) == "ConfigMap" && yamlnode.Field(labels, "cli-utils.sigs.k8s.io/inventory-id") != nil
}

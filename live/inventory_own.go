package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Own is the inventory that a package names as its own (design 15.1): by the field
// inventory of its Kptfile, by a ResourceGroup, or by a ConfigMap with the label
// InventoryID. It is nil if the package names none. One that lacks its name, its
// namespace or its id is an error, as in kpt, and so are two that differ.
func Own(items []Object) (*Inventory, error) {
	var own *Inventory
	for _, item := range items {
		v, err := ownOf(item)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
		case own != nil && (v.Object != own.Object || v.ID != own.ID):
			return nil, fmt.Errorf("the package names two inventories, %s and %s", own, v)
		case own == nil:
			own = v
		}
	}
	return own, nil
}

// ownOf is the inventory that one item of a package names, nil if it names none.
func ownOf(item Object) (*Inventory, error) {
	metadata := yamlnode.Lookup(item.Node, "metadata")
	labels, annotations := yamlnode.Field(metadata, "labels"), yamlnode.Field(metadata, "annotations")
	object, id := item.ID, labelOf(item)
	switch {
	case item.groupKind() == groupKind{"kpt.dev", "Kptfile"}:
		named := mapping(yamlnode.Field(item.Node, "inventory"))
		if len(named.Content) == 0 {
			return nil, nil
		}
		labels, annotations = yamlnode.Field(named, "labels"), yamlnode.Field(named, "annotations")
		id = yamlnode.Text(yamlnode.Field(named, "inventoryID"))
		object = resourceGroup(yamlnode.Text(yamlnode.Field(named, "namespace")), yamlnode.Text(yamlnode.Field(named, "name")))
	case !IsInventory(item):
		return nil, nil
	}
	if missing := missingOf(object, id); missing != "" {
		return nil, fmt.Errorf("the inventory that %v names has no %s", item.ID, missing)
	}
	return newInventory(object, id, labels, annotations), nil
}

// missingOf names what an inventory must have and lacks.
func missingOf(object identity.ID, id string) string {
	var missing []string
	for _, field := range [][2]string{{"name", object.Name}, {"namespace", object.Namespace}, {"id", id}} {
		if field[1] == "" {
			missing = append(missing, field[0])
		}
	}
	return strings.Join(missing, " and no ")
}

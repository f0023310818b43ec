package live

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// InventoryID is the label that an inventory has its id in.
const InventoryID = "cli-utils.sigs.k8s.io/inventory-id"

// OwningInventory is the annotation that has the id of the inventory that a resource
// belongs to (rules/live: owners).
const OwningInventory = "config.k8s.io/owning-inventory"

// Inventory lists what a package has in the cluster (rules/live: the inventory). It is
// a ResourceGroup, or a ConfigMap with the label InventoryID.
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

// Own is the inventory that a package names as its own (rules/live: the inventory): by
// the field inventory of its Kptfile, by a ResourceGroup, or by a ConfigMap with the
// label InventoryID. It is nil if the package names none. One that lacks its name, its
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

// parseKey reads a key of a ConfigMap's data, which names a resource as
// namespace_name_group_kind (rules/live: the inventory). In the name, two underscores
// stand for a colon.
func parseKey(key string) (identity.ID, error) {
	namespace, rest, found := strings.Cut(key, "_")
	parts := strings.Split(rest, "_")
	if n := len(parts); found && n >= 3 {
		name := strings.ReplaceAll(strings.Join(parts[:n-2], "_"), "__", ":")
		if !strings.Contains(name, "_") {
			return identity.ID{Group: parts[n-2], Kind: parts[n-1], Namespace: namespace, Name: name}, nil
		}
	}
	return identity.ID{}, fmt.Errorf("the key %s is not namespace_name_group_kind", quote(key))
}

// key writes a key that parseKey reads. Names of RBAC resources alone have colons.
func key(id identity.ID) string {
	return strings.Join([]string{id.Namespace, strings.ReplaceAll(id.Name, ":", "__"), id.Group, id.Kind}, "_")
}

// newInventory is an inventory that is not live yet (rules/live: the inventory
// afterwards): its object has the name, labels and annotations that the package gives,
// and nothing else, as kpt makes it. Its fields are in the order in which kubectl shows
// them.
func newInventory(object identity.ID, id string, labels, annotations *yaml.Node) *Inventory {
	labels = yamlnode.Put(mapping(labels), nil, InventoryID, yamlnode.String(id))
	metadata := []field{{"labels", plain(labels)}, {"name", yamlnode.String(object.Name)}, {"namespace", yamlnode.String(object.Namespace)}}
	if annotations = plain(mapping(annotations)); len(annotations.Content) > 0 {
		metadata = append([]field{{"annotations", annotations}}, metadata...)
	}
	version := "v1"
	if object == resourceGroup(object.Namespace, object.Name) {
		version = "kpt.dev/v1alpha1"
	}
	node := mapOf(field{"apiVersion", yamlnode.String(version)}, field{"kind", yamlnode.String(object.Kind)}, field{"metadata", mapOf(metadata...)})
	return &Inventory{Object: object, ID: id, node: node}
}

// field is a field of a map.
type field struct {
	name  string
	value *yaml.Node
}

// mapOf is a map of fields, in this order.
func mapOf(fields ...field) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range fields {
		out.Content = append(out.Content, yamlnode.String(f.name), f.value)
	}
	return out
}

func resourceGroup(namespace, name string) identity.ID {
	return identity.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: namespace, Name: name}
}

// mapping is a map, and an empty one for what is none.
func mapping(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return yamlnode.EmptyMap()
	}
	return n
}

// plain is a map of strings sorted by key, without comments, styles and bookkeeping.
func plain(texts *yaml.Node) *yaml.Node {
	names := yamlnode.Names(texts)
	slices.Sort(names)
	out, field := yamlnode.EmptyMap(), yamlnode.Fields(texts)
	for _, name := range slices.Compact(names) {
		if !bookkeeping.Is(name) {
			out.Content = append(out.Content, yamlnode.String(name), yamlnode.String(yamlnode.Text(field(name))))
		}
	}
	return out
}

package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// InventoryID is the label with the id of an inventory.
const InventoryID = "cli-utils.sigs.k8s.io/inventory-id"

// OwningInventory is the annotation with the id of the inventory that owns a resource (rules/live: owners).
const OwningInventory = "config.k8s.io/owning-inventory"

// Inventory lists the resources of a package in the cluster (rules/live: the inventory). It is a ResourceGroup, or a
// ConfigMap with the label InventoryID.
type Inventory struct {
	Object    identity.ID   // the object that holds the inventory
	ID        string        // the value of the annotation OwningInventory
	Resources []identity.ID // the entries, in their order; none before the first apply
	Live      bool          // whether the cluster has the inventory
	node      *yaml.Node    // the object; without a list if it is not live
}

// IsInventory reports whether a resource is an inventory and not config: a ResourceGroup of kpt, or a ConfigMap with an
// id.
func IsInventory(o Object) bool {
	switch o.groupKind() {
	case groupKind{"kpt.dev", "ResourceGroup"}:
		return true
	case groupKind{"", "ConfigMap"}:
		return o.inventoryID() != ""
	}
	return false
}

// inventoryID returns the label InventoryID of an object, "" if there is none.
func (o Object) inventoryID() string { return o.text("metadata", "labels", InventoryID) }

// byLabel reports whether this kind of inventory is found by its id in its namespace, whatever its name, as kpt finds
// ConfigMaps. A ResourceGroup is found by its name.
func (v *Inventory) byLabel() bool { return v.Object.Kind == "ConfigMap" }

// is reports whether an object of the cluster is the inventory of a package.
func (v *Inventory) is(o Object) bool {
	if v.byLabel() {
		return o.ID.Namespace == v.Object.Namespace && o.ID.Kind == v.Object.Kind && o.inventoryID() == v.ID
	}
	return o.ID == v.Object
}

// String returns the inventory's name in messages.
func (v *Inventory) String() string { return fmt.Sprintf("%v with the id %s", v.Object, v.ID) }

// Own returns the inventory that a package names (rules/live: the inventory): in the field inventory of its Kptfile, by
// a ResourceGroup, or by a ConfigMap with the label InventoryID; nil if there is none. An inventory without name,
// namespace or id is an error, as in kpt, and so are two different ones.
func Own(items []Object) (*Inventory, error) {
	var own *Inventory
	for _, item := range items {
		v, err := namedBy(item)
		if err != nil {
			return nil, err
		}
		if own != nil && v != nil && (v.Object != own.Object || v.ID != own.ID) {
			return nil, fmt.Errorf("the package names two inventories, %s and %s", own, v)
		}
		own = cmp.Or(own, v)
	}
	return own, nil
}

// namedBy returns the inventory that one item of a package names, nil if it names none.
func namedBy(item Object) (*Inventory, error) {
	metadata := yamlnode.Lookup(item.Node, "metadata")
	labels, annotations := yamlnode.Field(metadata, "labels"), yamlnode.Field(metadata, "annotations")
	object, id := item.ID, item.inventoryID()
	switch {
	case item.groupKind() == groupKind{"kpt.dev", "Kptfile"}:
		named := yamlnode.MapOf(yamlnode.Field(item.Node, "inventory"))
		if len(named.Content) == 0 {
			return nil, nil
		}
		labels, annotations = yamlnode.Field(named, "labels"), yamlnode.Field(named, "annotations")
		id = yamlnode.Text(yamlnode.Field(named, "inventoryID"))
		object = resourceGroup(yamlnode.Text(yamlnode.Field(named, "namespace")), yamlnode.Text(yamlnode.Field(named, "name")))
	case !IsInventory(item):
		return nil, nil
	}
	if err := checkNamed(item, object, id); err != nil {
		return nil, err
	}
	return newInventory(object, id, labels, annotations), nil
}

// checkNamed returns an error if an item names an inventory without a name, a namespace or an id.
func checkNamed(item Object, object identity.ID, id string) error {
	var missing []string
	for _, field := range [][2]string{{"name", object.Name}, {"namespace", object.Namespace}, {"id", id}} {
		if field[1] == "" {
			missing = append(missing, field[0])
		}
	}
	if missing != nil {
		return fmt.Errorf("the inventory that %v names has no %s", item.ID, strings.Join(missing, " and no "))
	}
	return nil
}

// newInventory returns an inventory that is not live yet (rules/live: the inventory afterwards): its object has the
// package's name, labels and annotations and nothing else, as kpt makes it, in the order in which kubectl shows fields.
func newInventory(object identity.ID, id string, labels, annotations *yaml.Node) *Inventory {
	labels = yamlnode.Put(yamlnode.MapOf(labels), nil, InventoryID, yamlnode.String(id))
	metadata := []field{{"labels", plainTexts(labels)}, {"name", yamlnode.String(object.Name)}, {"namespace", yamlnode.String(object.Namespace)}}
	if annotations = plainTexts(yamlnode.MapOf(annotations)); len(annotations.Content) > 0 {
		metadata = append([]field{{"annotations", annotations}}, metadata...)
	}
	version := "v1"
	if object == resourceGroup(object.Namespace, object.Name) {
		version = "kpt.dev/v1alpha1"
	}
	node := mapOf(field{"apiVersion", yamlnode.String(version)}, field{"kind", yamlnode.String(object.Kind)}, field{"metadata", mapOf(metadata...)})
	return &Inventory{Object: object, ID: id, node: node}
}

// Choose finds the inventory of a package among the objects of the cluster (rules/live: the inventory): the package's
// own, else the only one; several are an error. If the cluster lacks the own inventory, own is the result, without
// resources, as for the first apply.
func Choose(own *Inventory, objects []Object) (*Inventory, error) {
	var found []Object
	for _, o := range objects {
		if IsInventory(o) && (own == nil || own.is(o)) {
			found = append(found, o)
		}
	}
	switch {
	case len(found) > 1:
		return nil, severalError(own, found)
	case len(found) == 0:
		return own, nil
	}
	chosen, err := readInventory(found[0])
	if err == nil && own != nil && chosen.ID != own.ID {
		err = fmt.Errorf("the inventory %v has the id %q in the cluster and %q in the package", own.Object, chosen.ID, own.ID)
	}
	if err != nil {
		return nil, err
	}
	return chosen, nil
}

func severalError(own *Inventory, found []Object) error {
	names := make([]string, len(found))
	for i, o := range found {
		names[i] = o.ID.String()
	}
	if own != nil {
		return fmt.Errorf("the cluster has %d inventories with the id %s: %s", len(found), own.ID, strings.Join(names, ", "))
	}
	return fmt.Errorf("the cluster has %d inventories, and the package names none of them as its own: %s", len(found), strings.Join(names, ", "))
}

// readInventory reads a live inventory.
func readInventory(o Object) (*Inventory, error) {
	v := &Inventory{Object: o.ID, ID: o.inventoryID(), Live: true, node: o.Node}
	if v.ID == "" {
		return nil, fmt.Errorf("the inventory %v has no label %s", o.ID, InventoryID)
	}
	if v.byLabel() {
		return v, v.readKeys(yamlnode.Field(o.Node, "data"))
	}
	return v, v.readResources(yamlnode.Lookup(o.Node, "spec", "resources"))
}

// isAbsent reports whether an inventory has no list yet.
func isAbsent(n *yaml.Node) bool { return n == nil || n.ShortTag() == "!!null" }

// readResources reads the list of a ResourceGroup.
func (v *Inventory) readResources(list *yaml.Node) error {
	if !isAbsent(list) && list.Kind != yaml.SequenceNode {
		return fmt.Errorf("spec.resources of the inventory %v is not a list", v.Object)
	}
	for i, entry := range yamlnode.Elements(list) {
		text := func(name string) string { return yamlnode.Text(yamlnode.Field(yamlnode.Resolve(entry), name)) }
		id := identity.ID{Group: strings.TrimSpace(text("group")), Kind: strings.TrimSpace(text("kind")), Namespace: text("namespace"), Name: text("name")}
		if id.Kind == "" || id.Name == "" {
			return fmt.Errorf("entry %d of the inventory %v has no kind or no name", i, v.Object)
		}
		v.Resources = append(v.Resources, id)
	}
	return nil
}

// readKeys reads the data of a ConfigMap.
func (v *Inventory) readKeys(data *yaml.Node) error {
	if !isAbsent(data) && data.Kind != yaml.MappingNode {
		return fmt.Errorf("data of the inventory %v is not a map", v.Object)
	}
	for _, key := range yamlnode.Names(data) {
		id, err := parseKey(key)
		if err != nil {
			return fmt.Errorf("the inventory %v: %w", v.Object, err)
		}
		v.Resources = append(v.Resources, id)
	}
	return nil
}

// parseKey parses a key of a ConfigMap's data: namespace_name_group_kind, with two underscores in the name for a colon
// (rules/live: the inventory).
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

// formatKey formats a key for parseKey. Only names of RBAC resources have colons.
func formatKey(id identity.ID) string {
	return strings.Join([]string{id.Namespace, strings.ReplaceAll(id.Name, ":", "__"), id.Group, id.Kind}, "_")
}

// with returns the object of the inventory with other entries, in the form in which kpt writes it (rules/live: the
// inventory afterwards); the live object itself if its entries are the same.
func (v *Inventory) with(resources []identity.ID) *yaml.Node {
	switch {
	case v.Live && slices.Equal(v.stored(v.Resources), v.stored(resources)):
		return v.node
	case v.byLabel():
		return yamlnode.Put(v.node, mapOf(field{"apiVersion", nil}, field{"data", nil}), "data", v.data(resources))
	}
	spec := yamlnode.Without(yamlnode.MapOf(yamlnode.Field(v.node, "spec")), func(name string) bool { return name == "resources" })
	spec.Style = 0 // {} becomes a block
	if len(resources) == 0 {
		return yamlnode.Put(v.node, nil, "spec", spec)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, id := range resources {
		list.Content = append(list.Content, mapOf(
			field{"group", yamlnode.String(id.Group)}, field{"kind", yamlnode.String(id.Kind)},
			field{"name", yamlnode.String(id.Name)}, field{"namespace", yamlnode.String(id.Namespace)},
		))
	}
	return yamlnode.Put(v.node, nil, "spec", yamlnode.Put(spec, nil, "resources", list))
}

// stored returns entries in the order in which the object has them: a ConfigMap sorts them by its keys.
func (v *Inventory) stored(resources []identity.ID) []identity.ID {
	if v.byLabel() {
		resources = slices.Clone(resources)
		slices.SortFunc(resources, func(a, b identity.ID) int { return strings.Compare(formatKey(a), formatKey(b)) })
	}
	return resources
}

// data returns the data of a ConfigMap, sorted. The status beside a known key stays; a new key has none.
func (v *Inventory) data(resources []identity.ID) *yaml.Node {
	status := yamlnode.Fields(yamlnode.Field(v.node, "data"))
	names := make([]string, len(resources))
	for i, id := range resources {
		names[i] = formatKey(id)
	}
	slices.Sort(names)
	var data []field
	for _, name := range slices.Compact(names) {
		data = append(data, field{name, cmp.Or(status(name), yamlnode.String(""))})
	}
	return mapOf(data...)
}

// field is a field of a map.
type field struct {
	name  string
	value *yaml.Node
}

// mapOf returns a map of fields, in their order.
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

// plainTexts returns a map of strings sorted by key, without comments, styles and bookkeeping.
func plainTexts(texts *yaml.Node) *yaml.Node {
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

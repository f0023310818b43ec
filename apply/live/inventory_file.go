package live

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Choose finds the inventory of a package among the objects of the cluster (rules/live:
// the inventory): its own, else the only one that is there; several are an error. The
// own inventory, without resources, is what the first apply has. Without own and live
// inventory the result is nil.
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
	chosen, err := read(found[0])
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

// read is what a live inventory lists.
func read(o Object) (*Inventory, error) {
	v := &Inventory{Object: o.ID, ID: labelOf(o), Live: true, node: o.Node}
	if v.ID == "" {
		return nil, fmt.Errorf("the inventory %v has no label %s", o.ID, InventoryID)
	}
	if v.byLabel() {
		return v, v.readKeys(yamlnode.Field(o.Node, "data"))
	}
	return v, v.readResources(yamlnode.Lookup(o.Node, "spec", "resources"))
}

// absent reports whether an inventory has no list yet.
func absent(n *yaml.Node) bool { return n == nil || n.ShortTag() == "!!null" }

// readResources reads the list of a ResourceGroup.
func (v *Inventory) readResources(list *yaml.Node) error {
	if !absent(list) && list.Kind != yaml.SequenceNode {
		return fmt.Errorf("the inventory %v has spec.resources that is no list", v.Object)
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
	if !absent(data) && data.Kind != yaml.MappingNode {
		return fmt.Errorf("the inventory %v has data that is no map", v.Object)
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

// With is the object of an inventory that lists these resources, in the form in which
// kpt writes it (rules/live: the inventory afterwards). The object is the live one
// itself if it lists them already.
func (v *Inventory) With(resources []identity.ID) *yaml.Node {
	switch {
	case v.Live && slices.Equal(v.inForm(v.Resources), v.inForm(resources)):
		return v.node
	case v.byLabel():
		return yamlnode.Put(v.node, mapOf(field{"apiVersion", nil}, field{"data", nil}), "data", v.keys(resources))
	}
	spec := yamlnode.Without(mapping(yamlnode.Field(v.node, "spec")), func(name string) bool { return name == "resources" })
	spec.Style = 0 // what was {} is written in lines
	if len(resources) > 0 {
		spec = yamlnode.Put(spec, nil, "resources", entries(resources))
	}
	return yamlnode.Put(v.node, nil, "spec", spec)
}

// inForm is a list in the order in which the object has it: a ConfigMap has no other than
// that of its keys.
func (v *Inventory) inForm(resources []identity.ID) []identity.ID {
	if v.byLabel() {
		resources = slices.Clone(resources)
		slices.SortFunc(resources, func(a, b identity.ID) int { return strings.Compare(key(a), key(b)) })
	}
	return resources
}

// entries is the list of a ResourceGroup, in the order of the inventory.
func entries(resources []identity.ID) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, id := range resources {
		list.Content = append(list.Content, mapOf(
			field{"group", yamlnode.String(id.Group)}, field{"kind", yamlnode.String(id.Kind)},
			field{"name", yamlnode.String(id.Name)}, field{"namespace", yamlnode.String(id.Namespace)},
		))
	}
	return list
}

// keys is the data of a ConfigMap, sorted. What a key says of its resource's status
// stays; a new key says nothing.
func (v *Inventory) keys(resources []identity.ID) *yaml.Node {
	said := map[string]*yaml.Node{}
	if data := yamlnode.Field(v.node, "data"); data != nil && data.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(data.Content); i += 2 {
			said[data.Content[i].Value] = data.Content[i+1]
		}
	}
	names := make([]string, len(resources))
	for i, id := range resources {
		names[i] = key(id)
	}
	slices.Sort(names)
	var data []field
	for _, name := range slices.Compact(names) {
		status := said[name]
		if status == nil {
			status = yamlnode.String("")
		}
		data = append(data, field{name, status})
	}
	return mapOf(data...)
}

package live

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// newInventory is an inventory that is not live yet (design 15.7): its object has the
// name, labels and annotations that the package gives, and nothing else, as kpt makes
// it. Its fields are in the order in which kubectl shows them.
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

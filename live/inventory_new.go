package live

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// newInventory is an inventory that is not live yet (design 15.7): its object has the
// name, labels and annotations that the package gives, and as kpt makes it nothing
// else. Its fields are in the order in which kubectl shows them.
func newInventory(object identity.ID, id string, labels, annotations *yaml.Node) *Inventory {
	labels = yamlnode.Put(mapping(labels), nil, InventoryID, yamlnode.String(id))
	metadata := yamlnode.EmptyMap()
	if annotations = plain(mapping(annotations)); len(annotations.Content) > 0 {
		metadata = yamlnode.Put(metadata, nil, "annotations", annotations)
	}
	metadata = yamlnode.Put(metadata, nil, "labels", plain(labels))
	metadata = yamlnode.Put(metadata, nil, "name", yamlnode.String(object.Name))
	metadata = yamlnode.Put(metadata, nil, "namespace", yamlnode.String(object.Namespace))

	node := yamlnode.EmptyMap()
	node = yamlnode.Put(node, nil, "apiVersion", yamlnode.String(strings.TrimPrefix(object.Group+"/"+versionOf(object), "/")))
	node = yamlnode.Put(node, nil, "kind", yamlnode.String(object.Kind))
	return &Inventory{Object: object, ID: id, node: yamlnode.Put(node, nil, "metadata", metadata)}
}

// versionOf is the version in which kpt writes an inventory.
func versionOf(object identity.ID) string {
	if object == (resourceGroup(object.Namespace, object.Name)) {
		return "v1alpha1"
	}
	return "v1"
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
func plain(strings *yaml.Node) *yaml.Node {
	names := yamlnode.Names(strings)
	slices.Sort(names)
	out := yamlnode.EmptyMap()
	for _, name := range slices.Compact(names) {
		if !bookkeeping.Is(name) {
			out.Content = append(out.Content, yamlnode.String(name), yamlnode.String(yamlnode.Text(yamlnode.Field(strings, name))))
		}
	}
	return out
}

package live

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// With is the object of an inventory that lists these resources, in the form in which
// kpt writes it (design 15.7). The object is the live one itself if it lists them
// already.
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

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
		return yamlnode.Put(v.node, afterVersion(), "data", v.keys(resources))
	}
	spec := mapping(yamlnode.Field(v.node, "spec"))
	if len(resources) == 0 {
		spec = yamlnode.Without(spec, func(name string) bool { return name == "resources" })
	} else {
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

// afterVersion has data where kubectl shows it.
func afterVersion() *yaml.Node {
	version := yamlnode.Put(yamlnode.EmptyMap(), nil, "apiVersion", yamlnode.EmptyMap())
	return yamlnode.Put(version, nil, "data", yamlnode.EmptyMap())
}

// entries is the list of a ResourceGroup, in the order of the inventory.
func entries(resources []identity.ID) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, id := range resources {
		entry := yamlnode.EmptyMap()
		for _, field := range [][2]string{{"group", id.Group}, {"kind", id.Kind}, {"name", id.Name}, {"namespace", id.Namespace}} {
			entry.Content = append(entry.Content, yamlnode.String(field[0]), yamlnode.String(field[1]))
		}
		list.Content = append(list.Content, entry)
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
	out := yamlnode.EmptyMap()
	for _, name := range names {
		status := said[name]
		if status == nil {
			status = yamlnode.String("")
		}
		out.Content = append(out.Content, yamlnode.String(name), status)
	}
	return out
}

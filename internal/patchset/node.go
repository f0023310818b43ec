package patchset

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// withoutManagers is a resource without its managedFields, which the server keeps itself.
func withoutManagers(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	if yamlnode.Field(metadata, "managedFields") == nil {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool { return name == "managedFields" }))
}

// withoutAnnotations is a partial resource that takes the annotations of a resource off one by
// one, if it takes them off all at once.
func withoutAnnotations(delta, was *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(delta, "metadata")
	all := yamlnode.Field(metadata, "annotations")
	if all == nil || all.Kind == yaml.MappingNode {
		return delta
	}
	each := yamlnode.EmptyMap()
	for _, name := range yamlnode.Names(yamlnode.Annotations(was)) {
		each = yamlnode.Put(each, nil, name, all)
	}
	return yamlnode.WithField(delta, "metadata", yamlnode.WithField(metadata, "annotations", each))
}

// listing is a Component that lists files as resources, before its patches.
func listing(component *yaml.Node, files []string) *yaml.Node {
	if files == nil {
		return component
	}
	resources := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, f := range files {
		resources.Content = append(resources.Content, yamlnode.String(f))
	}
	out := *component
	at := len(out.Content) - 2 // patches are the last field
	out.Content = slices.Insert(slices.Clone(out.Content), at, yamlnode.String("resources"), resources)
	return &out
}

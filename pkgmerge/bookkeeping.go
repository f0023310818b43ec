package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// withoutBookkeeping takes the annotations off a resource that are no content
// (design 1.2), on a copy; a resource without any is returned as it is. A map of
// annotations that held nothing else goes too.
func withoutBookkeeping(tree *yaml.Node, isBookkeeping func(string) bool) *yaml.Node {
	a := yamlnode.Annotations(tree)
	if a == nil {
		return tree
	}
	rest := yamlnode.Without(a, isBookkeeping)
	metadata := yamlnode.Field(tree, "metadata")
	switch {
	case len(rest.Content) == len(a.Content):
		return tree
	case len(rest.Content) == 0:
		metadata = yamlnode.Without(metadata, func(name string) bool { return name == "annotations" })
	default:
		metadata = yamlnode.WithField(metadata, "annotations", rest)
	}
	return yamlnode.WithField(tree, "metadata", metadata)
}

// withBookkeeping puts the bookkeeping of was, local's version, back on the
// merged tree, in local's style: each annotation after its nearest preceding
// sibling in was that the tree has, else first.
func withBookkeeping(tree, was *yaml.Node, comesOut func(string) bool) *yaml.Node {
	source := yamlnode.Annotations(was)
	if source == nil {
		return tree
	}
	target := yamlnode.EmptyMap()
	if has := yamlnode.Annotations(tree); has != nil {
		target.Content = has.Content
	}
	target.Style = source.Style
	before := len(target.Content)
	for i := 0; i+1 < len(source.Content); i += 2 {
		if comesOut(source.Content[i].Value) {
			target = yamlnode.InsertAfterSibling(target, source, i)
		}
	}
	if len(target.Content) == before {
		return tree
	}
	metadata := yamlnode.Field(tree, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	metadata = yamlnode.Put(metadata, yamlnode.Field(was, "metadata"), "annotations", target)
	return yamlnode.Put(tree, was, "metadata", metadata)
}

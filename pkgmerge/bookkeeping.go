package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// annotations is a resource's metadata.annotations, nil if it has none.
func annotations(tree *yaml.Node) *yaml.Node {
	a := yamlnode.Field(yamlnode.Field(tree, "metadata"), "annotations")
	if a == nil || a.Kind != yaml.MappingNode {
		return nil
	}
	return a
}

// annotation is the value of one annotation, "" if the resource lacks it.
func annotation(tree *yaml.Node, name string) string {
	return yamlnode.Text(yamlnode.Field(annotations(tree), name))
}

// withoutBookkeeping takes the annotations off a resource that are no content
// (design 1.2), on a copy; a resource without any is returned as it is. A map of
// annotations that held nothing else goes too.
func withoutBookkeeping(tree *yaml.Node, isBookkeeping func(string) bool) *yaml.Node {
	a := annotations(tree)
	if a == nil {
		return tree
	}
	kept := yamlnode.Without(a, isBookkeeping)
	metadata := yamlnode.Field(tree, "metadata")
	switch {
	case len(kept.Content) == len(a.Content):
		return tree
	case len(kept.Content) == 0:
		metadata = yamlnode.Without(metadata, func(name string) bool { return name == "annotations" })
	default:
		metadata = yamlnode.WithField(metadata, "annotations", kept)
	}
	return yamlnode.WithField(tree, "metadata", metadata)
}

// withBookkeeping puts the bookkeeping of was, local's version, back on the
// merged tree, in local's style: each annotation after its nearest preceding
// sibling in was that the tree has, else first.
func withBookkeeping(tree, was *yaml.Node, comesOut func(string) bool) *yaml.Node {
	source := annotations(was)
	if source == nil {
		return tree
	}
	target := yamlnode.EmptyMap()
	if has := annotations(tree); has != nil {
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

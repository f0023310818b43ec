package krmfunction

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// annotate sets one annotation; a new one comes last.
func annotate(item *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Field(item, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	target := yamlnode.Annotations(item)
	if target == nil || len(target.Content) == 0 {
		target = yamlnode.EmptyMap()
	}
	v := yamlnode.String(text)
	v.Style = yaml.SingleQuotedStyle
	target = yamlnode.Put(target, nil, name, v)
	return yamlnode.Put(item, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", target))
}

// withoutAnnotations takes annotations off an item by their names.
func withoutAnnotations(n *yaml.Node, drop func(name string) bool) *yaml.Node {
	a := yamlnode.Annotations(n)
	if a == nil {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.WithField(yamlnode.Field(n, "metadata"), "annotations", yamlnode.Without(a, drop)))
}

// unmarked takes the mark of its side off an item: a merged one is on none.
func unmarked(n *yaml.Node) *yaml.Node {
	return withoutAnnotations(n, func(name string) bool { return name == bookkeeping.MergeSource })
}

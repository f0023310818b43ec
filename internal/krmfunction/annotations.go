package krmfunction

import (
	"go.yaml.in/yaml/v3"

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

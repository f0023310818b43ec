package krmfunction

import (
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"go.yaml.in/yaml/v3"
)

// annotations is an item's metadata.annotations, nil if it has none.
func annotations(item *yaml.Node) *yaml.Node {
	a := yamlnode.Field(yamlnode.Field(item, "metadata"), "annotations")
	if a == nil || a.Kind != yaml.MappingNode {
		return nil
	}
	return a
}

// annotation is the value of one annotation, "" if the item lacks it.
func annotation(item *yaml.Node, name string) string {
	if v := yamlnode.Field(annotations(item), name); v != nil {
		return v.Value
	}
	return ""
}

// annotate sets one annotation; a new one comes last.
func annotate(item *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Field(item, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	target := annotations(item)
	if target == nil || len(target.Content) == 0 {
		target = yamlnode.EmptyMap()
	}
	v := yamlnode.String(text)
	v.Style = yaml.SingleQuotedStyle
	target = yamlnode.Put(target, nil, name, v)
	return yamlnode.Put(item, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", target))
}

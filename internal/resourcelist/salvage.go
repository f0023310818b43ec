package resourcelist

import (
	"go.yaml.in/yaml/v3"
)

// salvage returns a list of the items that can be read of data and its document,
// a ResourceList with a fault (design 8): those that are mappings. What is no
// ResourceList has no items (design 1.2).
func salvage(doc *yaml.Node, data []byte) *List {
	list, root := Empty(), doc.Content[0]
	if scalar(root, "kind") != "ResourceList" {
		return list
	}
	if checkShell(root) == nil {
		list.shell = shellOf(doc)
	}
	at := position(root, "items")
	if at < 0 || target(root.Content[at+1]).Kind != yaml.SequenceNode {
		return list
	}
	for _, node := range target(root.Content[at+1]).Content {
		list.Items = append(list.Items, &Item{Node: node, Line: node.Line, base: node.Line, wide: isWide(node)})
	}
	if len(list.Items) > 0 && hasLineRanges(data, root.Content[at+1]) {
		list.useLines(data, root, at)
	}
	if unlink(list) != nil {
		return Empty()
	}
	list.Items = mappings(list.Items)
	return list
}

// mappings returns the items that are mappings.
func mappings(items []*Item) (out []*Item) {
	for _, item := range items {
		if target(item.Node).Kind == yaml.MappingNode {
			out = append(out, item)
		}
	}
	return out
}

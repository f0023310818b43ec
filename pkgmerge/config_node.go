package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// apiVersionOf is what a resource has for its apiVersion.
func apiVersionOf(n *yaml.Node) string { return yamlnode.Text(yamlnode.Field(n, "apiVersion")) }

// annotated is a resource with an annotation; a new one comes last.
func annotated(n *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	metadata := mappingOf(yamlnode.Field(n, "metadata"))
	annotations := mappingOf(yamlnode.Field(metadata, "annotations"))
	return yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", yamlnode.Put(annotations, nil, name, v)))
}

// mappingOf is a mapping, and an empty one in the place of anything else.
func mappingOf(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return yamlnode.EmptyMap()
	}
	return n
}

// literal is a string as kubectl writes one that ends with a line break.
func literal(text string) *yaml.Node {
	n := yamlnode.String(text)
	n.Style = yaml.LiteralStyle
	return n
}

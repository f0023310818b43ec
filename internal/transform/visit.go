package transform

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// visit changes what stands at a path of fields, in every element of the lists on the way
// and at its end. In a name of the path ~ stands for a slash.
func visit(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	switch {
	case n == nil:
		return n
	case n.Kind == yaml.SequenceNode:
		return yamlnode.Each(n, func(e *yaml.Node) *yaml.Node { return visit(e, path, change) })
	case len(path) == 0:
		return change(n)
	case n.Kind != yaml.MappingNode:
		return n
	}
	name := strings.ReplaceAll(path[0], "~", "/")
	was := yamlnode.Field(n, name)
	if is := visit(was, path[1:], change); is != was {
		return yamlnode.WithField(n, name, is)
	}
	return n
}

package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// sequence is the list of a kustomization's field, made where it is missing.
func sequence(k *yaml.Node, name string) *yaml.Node {
	if list := yamlnode.Field(k, name); list != nil {
		return list
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	k.Content = append(k.Content, yamlnode.String(name), list)
	return list
}

// mapOf is a mapping of strings; a value that is "" is left out.
func mapOf(fields ...[2]string) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range fields {
		if f[1] != "" {
			out.Content = append(out.Content, yamlnode.String(f[0]), yamlnode.String(f[1]))
		}
	}
	return out
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// onlyRenamed reports whether local's version differs from origin's in name and
// namespace at most. These are who the resource is, not what it is: a package
// that a user prefixed and put into a namespace is not thereby customised, and
// what upstream drops from it goes without a conflict.
func onlyRenamed(typ *schema.Type, o, l *yaml.Node) bool {
	return o != nil && l != nil && same(typ, unnamed(o), unnamed(l))
}

// SameButNamed reports whether two resources differ in name and namespace at
// most (design 3.8). One that could not be merged is the same as nothing.
func SameButNamed(a, b *yaml.Node) bool { return Same(unnamed(a), unnamed(b)) }

// unnamed is a resource without its name and namespace.
func unnamed(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if m := out.Content[i+1]; out.Content[i].Value == "metadata" && m.Kind == yaml.MappingNode {
			anonymous := *m
			anonymous.Content = nil
			for j := 0; j+1 < len(m.Content); j += 2 {
				if !isName(m.Content[j].Value) {
					anonymous.Content = append(anonymous.Content, m.Content[j], m.Content[j+1])
				}
			}
			out.Content[i+1] = &anonymous
		}
	}
	return &out
}

// standIn is origin's version of a resource that origin lacks and both others
// have: nothing but upstream's name and namespace, so that local's stay. The two
// were told to be one resource, whatever each calls it.
func standIn(u *yaml.Node) *yaml.Node {
	metadata := yamlnode.Lookup(u, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return nil
	}
	who := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(metadata.Content); i += 2 {
		if isName(metadata.Content[i].Value) {
			who.Content = append(who.Content, metadata.Content[i], metadata.Content[i+1])
		}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "metadata"}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, who}}
}

// isName reports whether a field of metadata says who a resource is.
func isName(field string) bool { return field == "name" || field == "namespace" }

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

// agreeOnNamespace is origin's version of a cluster-scoped resource, with a namespace such
// that upstream's and local's are no conflict where both sides changed it: it says nothing
// (design 3.8). It goes if either side dropped it, and else is local's.
func agreeOnNamespace(versions [3]*yaml.Node) *yaml.Node {
	var in [3]*yaml.Node
	for side, n := range versions {
		in[side] = yamlnode.Lookup(n, "metadata", "namespace")
	}
	o, u, l := in[origin], in[upstream], in[local]
	if versions[upstream] == nil || versions[local] == nil || o == nil || u != nil && Same(o, u) || l != nil && Same(o, l) || u == nil && l == nil {
		return versions[origin]
	}
	as := u
	if u == nil {
		as = l
	}
	return yamlnode.Set(versions[origin], nil, as, "metadata", "namespace")
}

// isName reports whether a field of metadata says who a resource is.
func isName(field string) bool { return field == "name" || field == "namespace" }

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// onlyRenamed says whether local's version differs from origin's in name and
// namespace at most. These are who the resource is, not what it is: a package
// that a user prefixed and put into a namespace is not thereby customised, and
// what upstream drops from it goes without a conflict.
func onlyRenamed(o, l *yaml.Node) bool {
	return o != nil && l != nil && same(unnamed(o), unnamed(l))
}

// unnamed is a resource without its name and namespace.
func unnamed(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if m := out.Content[i+1]; out.Content[i].Value == "metadata" && m.Kind == yaml.MappingNode {
			anonymous := *m
			anonymous.Content = nil
			for j := 0; j+1 < len(m.Content); j += 2 {
				if name := m.Content[j].Value; name != "name" && name != "namespace" {
					anonymous.Content = append(anonymous.Content, m.Content[j], m.Content[j+1])
				}
			}
			out.Content[i+1] = &anonymous
		}
	}
	return &out
}

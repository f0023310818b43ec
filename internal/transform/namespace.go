package transform

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// WithNamespace returns a resource in which each namespace that kustomize's namespace sets is
// what to makes of it: of "" where there is none. The same resource comes back if to changes nothing.
func WithNamespace(resource *yaml.Node, to func(was string) string) *yaml.Node {
	change := func(n *yaml.Node, path ...string) *yaml.Node {
		if was := yamlnode.Text(yamlnode.Lookup(n, path...)); to(was) != was {
			return withTextAt(n, to(was), path...)
		}
		return n
	}
	for _, path := range namespacePaths(resource) {
		resource = change(resource, path...)
	}
	return subjectsNamed(resource, func(s *yaml.Node, _ int) *yaml.Node { return change(s, "namespace") })
}

// withTextAt is a mapping with a string at a path of fields, in the style that the string there
// has. A new namespace stands behind the name.
func withTextAt(n *yaml.Node, text string, path ...string) *yaml.Node {
	is := yamlnode.String(text)
	if was := yamlnode.Lookup(n, path...); was != nil && was.Kind == yaml.ScalarNode && was.ShortTag() == "!!str" {
		if is = yamlnode.WithText(was, text); is == was {
			return n
		}
	}
	order := yamlnode.EmptyMap()
	for _, field := range [2]string{"name", "namespace"} {
		order.Content = append(order.Content, yamlnode.String(field), yamlnode.EmptyMap())
	}
	for _, field := range slices.Backward(path[:len(path)-1]) {
		order = yamlnode.Put(yamlnode.EmptyMap(), nil, field, order)
	}
	return yamlnode.Set(n, order, is, path...)
}

// WithNamespaceOf is a resource with the base's value wherever kustomize's namespace sets one.
func WithNamespaceOf(resource, base *yaml.Node) *yaml.Node {
	for _, path := range namespacePaths(resource) {
		was := yamlnode.Lookup(base, path...)
		if isConversion := len(path) > 3; was != nil || !isConversion { // of a CRD kustomize changes it only where it is
			resource = yamlnode.Set(resource, base, was, path...)
		}
	}
	var of []*yaml.Node
	subjectsNamed(base, func(s *yaml.Node, _ int) *yaml.Node {
		of = append(of, s)
		return s
	})
	return subjectsNamed(resource, func(s *yaml.Node, i int) *yaml.Node {
		if i >= len(of) {
			return s
		}
		return yamlnode.Set(s, of[i], yamlnode.Field(of[i], "namespace"), "namespace")
	})
}

// namespacePaths are the fields of a resource that kustomize's namespace sets.
func namespacePaths(n *yaml.Node) (paths [][]string) {
	t := patch.TargetOf(n)
	switch group := identity.Group(t.APIVersion); {
	case !ClusterScoped(t):
		paths = append(paths, []string{"metadata", "namespace"})
	case IsNamespace(t):
		paths = append(paths, []string{"metadata", "name"})
	case t.Kind == "APIService" && group == "apiregistration.k8s.io":
		paths = append(paths, []string{"spec", "service", "namespace"})
	case t.Kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io":
		converts := []string{"spec", "conversion", "webhook", "clientConfig", "service", "namespace"}
		if yamlnode.Lookup(n, converts...) != nil {
			paths = append(paths, converts)
		}
	}
	return paths
}

// subjectsNamed changes the subjects of a binding that are called default: these alone get
// kustomize's namespace. i counts them.
func subjectsNamed(n *yaml.Node, change func(s *yaml.Node, i int) *yaml.Node) *yaml.Node {
	if kind := patch.TargetOf(n).Kind; kind != "RoleBinding" && kind != "ClusterRoleBinding" {
		return n
	}
	i := -1
	return visit(n, []string{"subjects"}, func(s *yaml.Node) *yaml.Node {
		if yamlnode.Text(yamlnode.Field(s, "name")) != "default" {
			return s
		}
		i++
		return change(s, i)
	})
}

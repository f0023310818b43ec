// Package transform computes the effects of kustomize's transformers on a resource (rules/overlay: transformers):
// namespace, namePrefix and nameSuffix with the references to renamed resources, labels and annotations, and images.
package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// WithNamespace returns a resource in which to has replaced each namespace that kustomize's field namespace
// sets; a missing one is "". If nothing changes it returns the same node.
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
	return changeDefaultSubjects(resource, func(s *yaml.Node, _ int) *yaml.Node { return change(s, "namespace") })
}

// withTextAt returns a mapping with a string at a path of fields, in the style of the old string. A new
// namespace follows the name.
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

// WithNamespaceOf returns a resource with the base's value in each field that kustomize's namespace sets.
func WithNamespaceOf(resource, base *yaml.Node) *yaml.Node {
	for _, path := range namespacePaths(resource) {
		was := yamlnode.Lookup(base, path...)
		if isConversion := len(path) > 3; was != nil || !isConversion { // kustomize adds none to a CRD
			resource = yamlnode.Set(resource, base, was, path...)
		}
	}
	var subjects []*yaml.Node
	changeDefaultSubjects(base, func(s *yaml.Node, _ int) *yaml.Node {
		subjects = append(subjects, s)
		return s
	})
	return changeDefaultSubjects(resource, func(s *yaml.Node, i int) *yaml.Node {
		if i >= len(subjects) {
			return s
		}
		return yamlnode.Set(s, subjects[i], yamlnode.Field(subjects[i], "namespace"), "namespace")
	})
}

// namespacePaths returns the fields of a resource that kustomize's namespace sets.
func namespacePaths(n *yaml.Node) (paths [][]string) {
	t := yamlnode.MetaOf(n)
	switch group := t.Group(); {
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

// changeDefaultSubjects changes the subjects of a binding with the name default: only these get kustomize's
// namespace. i counts them.
func changeDefaultSubjects(n *yaml.Node, change func(s *yaml.Node, i int) *yaml.Node) *yaml.Node {
	if kind := yamlnode.MetaOf(n).Kind; kind != "RoleBinding" && kind != "ClusterRoleBinding" {
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

// ClusterScoped reports whether kustomize takes a kind for cluster-scoped. It takes unknown kinds, such as
// custom resources, for namespaced.
func ClusterScoped(t yamlnode.Meta) bool {
	kinds := map[string][]string{
		"":                             {"Namespace", "Node", "PersistentVolume", "ComponentStatus", "NodeProxyOptions"},
		"admissionregistration.k8s.io": {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
		"apiextensions.k8s.io":         {"CustomResourceDefinition"},
		"apiregistration.k8s.io":       {"APIService"},
		"certificates.k8s.io":          {"CertificateSigningRequest"},
		"networking.k8s.io":            {"IngressClass"},
		"node.k8s.io":                  {"RuntimeClass"},
		"policy":                       {"PodSecurityPolicy"},
		"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
		"scheduling.k8s.io":            {"PriorityClass"},
		"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"},
		"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	}[t.Group()]
	return slices.Contains(kinds, t.Kind) && hasKnownVersion(t)
}

// hasKnownVersion reports whether kustomize knows the version of a cluster-scoped kind: its schema is that of
// Kubernetes 1.21.
func hasKnownVersion(t yamlnode.Meta) bool {
	version, group := t.Version(), t.Group()
	isBeta := group == "policy" || group == "flowcontrol.apiserver.k8s.io"
	return version == "v1" && !isBeta || version == "v1beta1" && group != ""
}

// NamespaceOf returns the namespace of a resource as kustomize compares it.
func NamespaceOf(t yamlnode.Meta) string {
	switch {
	case ClusterScoped(t):
		return "-"
	case t.Namespace == "":
		return "default"
	}
	return t.Namespace
}

// KeepsName reports whether kustomize never changes the names of a kind.
func KeepsName(t yamlnode.Meta) bool {
	return t.Kind == "CustomResourceDefinition" || t.Kind == "Namespace" ||
		t.Kind == "APIService" && t.Group() == "apiregistration.k8s.io"
}

// IsNamespace reports whether a resource is a Namespace itself.
func IsNamespace(t yamlnode.Meta) bool { return t.Kind == "Namespace" && t.APIVersion == "v1" }

// IsResource reports whether kustomize builds a resource: it has a kind and a name, and is not for kpt or
// kustomize itself.
func IsResource(n *yaml.Node) bool {
	t := yamlnode.MetaOf(n)
	isTool := t.Group() == "kpt.dev" && t.Kind == "Kptfile" || t.Group() == "kustomize.config.k8s.io"
	return t.APIVersion != "" && t.Kind != "" && t.Name != "" && !isTool &&
		yamlnode.Annotation(n, "config.kubernetes.io/local-config") != "true"
}

// IsList reports whether a resource is a list of others, which kustomize splits.
func IsList(n *yaml.Node) bool {
	items := yamlnode.Field(n, "items")
	return n != nil && strings.HasSuffix(yamlnode.MetaOf(n).Kind, "List") && items != nil && items.Kind == yaml.SequenceNode
}

// IsRemote reports whether kustomize clones an entry of resources, which is no path then: it has a scheme or a user, or
// its host is GitHub.
func IsRemote(entry string) bool {
	host, _, _ := strings.Cut(entry, "/")
	return strings.ContainsAny(host, ":@") || strings.TrimPrefix(host, "www.") == "github.com"
}

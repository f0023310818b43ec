// Package transform computes what kustomize's transformers make of a resource (design 16.5): its
// namespace, namePrefix and nameSuffix with the references that follow them, labels and
// annotations, and where images are.
package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// ClusterScoped reports whether kustomize takes a kind for one of the cluster. One that it
// does not know, such as a custom resource, belongs to a namespace for it.
func ClusterScoped(t patch.Target) bool {
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
	}[identity.Group(t.APIVersion)]
	return slices.Contains(kinds, t.Kind) && isOld(t)
}

// isOld reports whether kustomize knows a version of a kind of the cluster: its schema is that
// of Kubernetes 1.21.
func isOld(t patch.Target) bool {
	version := identity.Version(t.APIVersion)
	switch identity.Group(t.APIVersion) {
	case "policy", "flowcontrol.apiserver.k8s.io":
		return version == "v1beta1"
	case "":
		return version == "v1"
	}
	return version == "v1" || version == "v1beta1"
}

// NamespaceOf is the namespace of a resource as kustomize compares it.
func NamespaceOf(t patch.Target) string {
	switch {
	case ClusterScoped(t):
		return "-"
	case t.Namespace == "":
		return "default"
	}
	return t.Namespace
}

// KeepsName reports whether kustomize leaves the names of a kind as they are.
func KeepsName(t patch.Target) bool {
	return t.Kind == "CustomResourceDefinition" || t.Kind == "Namespace" ||
		t.Kind == "APIService" && identity.Group(t.APIVersion) == "apiregistration.k8s.io"
}

// IsNamespace reports whether a resource is a Namespace itself.
func IsNamespace(t patch.Target) bool { return t.Kind == "Namespace" && t.APIVersion == "v1" }

// IsResource reports whether kustomize builds a resource: it has a kind and a name, and
// is neither for kpt nor for kustomize itself.
func IsResource(n *yaml.Node) bool {
	t := patch.TargetOf(n)
	switch {
	case t.APIVersion == "" || t.Kind == "" || t.Name == "":
		return false
	case identity.Group(t.APIVersion) == "kpt.dev" && t.Kind == "Kptfile", isKustomization(t):
		return false
	}
	return yamlnode.Annotation(n, "config.kubernetes.io/local-config") != "true"
}

func isKustomization(t patch.Target) bool {
	return identity.Group(t.APIVersion) == "kustomize.config.k8s.io" || t.Kind == "Kustomization" && t.APIVersion == "" && t.Name == ""
}

// IsList reports whether a resource is a list of others, which kustomize takes apart.
func IsList(n *yaml.Node) bool {
	items := yamlnode.Field(n, "items")
	return n != nil && strings.HasSuffix(patch.TargetOf(n).Kind, "List") && items != nil && items.Kind == yaml.SequenceNode
}

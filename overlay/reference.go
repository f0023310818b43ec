package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// references changes the names of resources that a value refers to, by their kind. above is
// the field that it is in.
func references(n *yaml.Node, above string, change func(kind, name string) string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return each(n, func(e *yaml.Node) *yaml.Node { return references(e, above, change) })
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i].Value, n.Content[i+1]
		if kind := referredKind(n, name, above); kind != "" && v.Kind == yaml.ScalarNode {
			out.Content[i+1] = withText(v, func(text string) string { return change(kind, text) })
		} else {
			out.Content[i+1] = references(v, name, change)
		}
	}
	return &out
}

// referredKind is the kind of the resource that a field names, as kustomize knows it, "" if it
// names none.
func referredKind(n *yaml.Node, name, above string) string {
	switch above + "." + name {
	case "configMapKeyRef.name", "configMapRef.name", "configMap.name":
		return "ConfigMap"
	case "secretKeyRef.name", "secretRef.name", "secret.secretName", "secret.name", "imagePullSecrets.name", "tls.secretName":
		return "Secret"
	case "service.name", "spec.serviceName":
		return "Service"
	case "spec.serviceAccountName":
		return "ServiceAccount"
	case "persistentVolumeClaim.claimName":
		return "PersistentVolumeClaim"
	case "scaleTargetRef.name", "roleRef.name":
		return yamlnode.Text(yamlnode.Field(n, "kind"))
	}
	return ""
}

// withText is a scalar with another text.
func withText(n *yaml.Node, change func(string) string) *yaml.Node {
	out := *n
	out.Value = change(n.Value)
	return &out
}

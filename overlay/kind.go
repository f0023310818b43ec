package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// knows reports whether kustomize knows which lists of a kind have keys. Its schema is that of
// Kubernetes 1.21.
func knows(t patch.Target) bool {
	switch t.Kind {
	case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "IPAddress", "ServiceCIDR", "VolumeAttributesClass":
		return false
	}
	return slices.Contains([]string{
		"v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "policy/v1",
		"rbac.authorization.k8s.io/v1", "autoscaling/v1", "storage.k8s.io/v1", "scheduling.k8s.io/v1",
		"admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "coordination.k8s.io/v1",
		"discovery.k8s.io/v1", "node.k8s.io/v1", "certificates.k8s.io/v1",
	}, t.APIVersion)
}

// lacksKeys reports whether a list that kustomize merges by a key has an element without it.
// A patch of anything else in the resource makes kustomize lose elements of such a list.
func lacksKeys(n *yaml.Node) bool {
	keys := map[string][]string{
		"ports": {"port", "containerPort"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
		"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "env": {"name"}, "volumes": {"name"},
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		of, list := keys[n.Content[i].Value], n.Content[i+1]
		lacks := func(e *yaml.Node) bool {
			return e.Kind == yaml.MappingNode && !slices.ContainsFunc(of, func(key string) bool { return yamlnode.Field(e, key) != nil })
		}
		if of != nil && list.Kind == yaml.SequenceNode && slices.ContainsFunc(list.Content, lacks) {
			return true
		}
	}
	return slices.ContainsFunc(n.Content, lacksKeys)
}

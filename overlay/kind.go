package overlay

import (
	"slices"

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

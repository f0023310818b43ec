package schema

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestClusterScoped(t *testing.T) {
	tests := []struct {
		group, kind string
		want        bool
	}{
		{"", "Namespace", true},
		{"", "Node", true},
		{"", "PersistentVolume", true},
		{"rbac.authorization.k8s.io", "ClusterRole", true},
		{"rbac.authorization.k8s.io", "ClusterRoleBinding", true},
		{"storage.k8s.io", "StorageClass", true},
		{"scheduling.k8s.io", "PriorityClass", true},
		{"networking.k8s.io", "IngressClass", true},
		{"node.k8s.io", "RuntimeClass", true},
		{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", true},
		{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", true},
		{"certificates.k8s.io", "CertificateSigningRequest", true},
		{"flowcontrol.apiserver.k8s.io", "FlowSchema", true},
		{"apiextensions.k8s.io", "CustomResourceDefinition", true},
		{"apiregistration.k8s.io", "APIService", true},
		{"policy", "PodSecurityPolicy", true},
		{"", "ConfigMap", false},
		{"", "PersistentVolumeClaim", false},
		{"apps", "Deployment", false},
		{"rbac.authorization.k8s.io", "Role", false},
		{"storage.k8s.io", "CSIStorageCapacity", false},
		{"certificates.k8s.io", "PodCertificateRequest", false},
		{"example.com", "ClusterRole", false},
	}
	s := New(nil, nil, true)
	for _, test := range tests {
		if got := s.ClusterScoped(test.group, test.kind); got != test.want {
			t.Errorf("%s %s: %t", test.group, test.kind, got)
		}
	}
}

func TestClusterScopedByCRD(t *testing.T) {
	var crds []*yaml.Node
	for _, text := range []string{
		"spec: {group: a.io, scope: Cluster, names: {kind: A}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}",
		"spec: {group: a.io, scope: Namespaced, names: {kind: B}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}",
		"spec: {group: b.io, scope: Cluster, names: {kind: A}, version: v1beta1}",
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		crds = append(crds, doc.Content[0])
	}
	s := New(nil, Trees(crds...), true)
	for id, want := range map[groupKind]bool{{"a.io", "A"}: true, {"a.io", "B"}: false, {"b.io", "A"}: true, {"c.io", "A"}: false} {
		if got := s.ClusterScoped(id.group, id.kind); got != want {
			t.Errorf("%v: %t, want %t", id, got, want)
		}
	}
}

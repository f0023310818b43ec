package schema

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnions(t *testing.T) {
	handlers := []string{"exec", "httpGet", "sleep", "tcpSocket"}
	probes := []string{"exec", "grpc", "httpGet", "tcpSocket"}
	refs := []string{"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"}
	rolling := Union{Members: []string{"rollingUpdate"}, Discriminator: "type"}
	tests := []struct {
		kind, path string
		want       Union
	}{
		{"apps/v1/Deployment", "spec.strategy", rolling},
		{"apps/v1beta1/Deployment", "spec.strategy", rolling},
		{"extensions/v1beta1/Deployment", "spec.strategy", rolling},
		{"apps/v1/DaemonSet", "spec.updateStrategy", rolling},
		{"apps/v1/StatefulSet", "spec.updateStrategy", rolling},
		{"/v1/Pod", "spec.containers[].env[]", Union{Members: []string{"value", "valueFrom"}}},
		{"/v1/Pod", "spec.containers[].env[].valueFrom", Union{Members: refs}},
		{"/v1/Pod", "spec.containers[].livenessProbe", Union{Members: probes}},
		{"/v1/Pod", "spec.containers[].readinessProbe", Union{Members: probes}},
		{"/v1/Pod", "spec.initContainers[].startupProbe", Union{Members: probes}},
		{"/v1/Pod", "spec.containers[].lifecycle.preStop", Union{Members: handlers}},
		{"/v1/Pod", "spec.containers[].lifecycle.postStart", Union{Members: handlers}},
		{
			"/v1/Pod", "spec.resourceClaims[]",
			Union{Members: []string{"resourceClaimName", "resourceClaimTemplateName"}},
		},
		{
			"/v1/Pod", "spec.securityContext.seccompProfile",
			Union{Members: []string{"localhostProfile"}, Discriminator: "type"},
		},
		{"networking.k8s.io/v1/Ingress", "spec.defaultBackend", Union{Members: []string{"resource", "service"}}},
		{"policy/v1/PodDisruptionBudget", "spec", Union{Members: []string{"maxUnavailable", "minAvailable"}}},
		{"policy/v1beta1/PodDisruptionBudget", "spec", Union{Members: []string{"maxUnavailable", "minAvailable"}}},
		{
			"flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration", "spec",
			Union{Members: []string{"exempt", "limited"}, Discriminator: "type"},
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff([]Union{test.want}, lookup(t, test.kind, test.path).Unions); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.kind, test.path, diff)
		}
	}
}

func TestVolumeSourcesAreUnions(t *testing.T) {
	tests := []struct {
		kind, path string
		count      int
		has, hasNo []string
	}{
		{
			"/v1/Pod", "spec.volumes[]", 30,
			[]string{"configMap", "emptyDir", "ephemeral", "hostPath", "image", "persistentVolumeClaim", "secret"},
			[]string{"name"},
		},
		{
			"/v1/PersistentVolume", "spec", 22,
			[]string{"csi", "flexVolume", "hostPath", "local", "nfs", "vsphereVolume"},
			[]string{"capacity", "claimRef", "nodeAffinity"},
		},
	}
	for _, test := range tests {
		unions := lookup(t, test.kind, test.path).Unions
		if len(unions) != 1 || len(unions[0].Members) != test.count || unions[0].Discriminator != "" {
			t.Fatalf("%s %s has the unions %v", test.kind, test.path, unions)
		}
		isMember := func(name string) bool { return slices.Contains(unions[0].Members, name) }
		for _, name := range test.has {
			if !isMember(name) {
				t.Errorf("%s %s: %s is no member", test.kind, test.path, name)
			}
		}
		if slices.ContainsFunc(test.hasNo, isMember) {
			t.Errorf("%s %s: one of %v is a member", test.kind, test.path, test.hasNo)
		}
	}
}

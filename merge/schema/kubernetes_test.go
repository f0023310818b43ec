package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lookup returns the type at a path of a kind (apps/v1/Deployment); an element of a list is written [].
func lookup(t *testing.T, kind, path string) *Type {
	t.Helper()
	parts := strings.Split(kind, "/")
	typ, ok := kubernetes(Merging).lookup(kindVersion{parts[0], parts[2], parts[1]})
	if !ok {
		t.Fatalf("%s is not known", kind)
	}
	return below(typ, path)
}

func below(typ *Type, path string) *Type {
	for _, name := range strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".") {
		if name == "[]" {
			typ = typ.Element()
		} else {
			typ = typ.Part(name)
		}
	}
	return typ
}

// names returns the names of keys.
func names(keys []Key) string {
	var names []string
	for _, key := range keys {
		names = append(names, key.Name)
	}
	return strings.Join(names, ",")
}

func podSpecs() map[string]string {
	return map[string]string{
		"/v1/Pod":                   "spec",
		"/v1/PodTemplate":           "template.spec",
		"/v1/ReplicationController": "spec.template.spec",
		"apps/v1/Deployment":        "spec.template.spec",
		"apps/v1/StatefulSet":       "spec.template.spec",
		"apps/v1/DaemonSet":         "spec.template.spec",
		"apps/v1/ReplicaSet":        "spec.template.spec",
		"batch/v1/Job":              "spec.template.spec",
		"batch/v1/CronJob":          "spec.jobTemplate.spec.template.spec",
	}
}

func TestKeyedListsOfPods(t *testing.T) {
	keys := map[string]string{
		"containers":                    "name",
		"initContainers":                "name",
		"ephemeralContainers":           "name",
		"containers[].env":              "name",
		"initContainers[].env":          "name",
		"containers[].ports":            "containerPort,protocol",
		"containers[].volumeMounts":     "mountPath",
		"containers[].volumeDevices":    "devicePath",
		"containers[].resources.claims": "name",
		"volumes":                       "name",
		"imagePullSecrets":              "name",
		"hostAliases":                   "ip",
		"topologySpreadConstraints":     "topologyKey,whenUnsatisfiable",
		"resourceClaims":                "name",
		"schedulingGates":               "name",
	}
	for kind, spec := range podSpecs() {
		for path, want := range keys {
			list := lookup(t, kind, spec+"."+path)
			if list == nil || list.Relation != ListMap || names(list.Keys) != want {
				t.Errorf("%s %s.%s is %+v, want a list keyed by %s", kind, spec, path, list, want)
			}
		}
	}
}

func TestKeyedListsOfOtherKinds(t *testing.T) {
	tests := []struct{ kind, path, want string }{
		{"/v1/Service", "spec.ports", "port,protocol"},
		{"/v1/ServiceAccount", "secrets", "name"},
		{"/v1/ConfigMap", "metadata.ownerReferences", "uid"},
		{"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration", "webhooks", "name"},
		{"admissionregistration.k8s.io/v1/MutatingWebhookConfiguration", "webhooks[].matchConditions", "name"},
		{"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy", "spec.matchConditions", "name"},
	}
	for _, test := range tests {
		list := lookup(t, test.kind, test.path)
		if list == nil || list.Relation != ListMap || names(list.Keys) != test.want {
			t.Errorf("%s %s is %+v, want a list keyed by %s", test.kind, test.path, list, test.want)
		}
	}
}

func TestDefaultsOfKeys(t *testing.T) {
	tests := []struct {
		kind, path string
		want       []Key
	}{
		{"/v1/Service", "spec.ports", []Key{{Name: "port"}, {Name: "protocol", Default: "TCP"}}},
		{"/v1/Pod", "spec.containers[].ports", []Key{{Name: "containerPort"}, {Name: "protocol", Default: "TCP"}}},
		{"/v1/Pod", "spec.containers", []Key{{Name: "name"}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, lookup(t, test.kind, test.path).Keys); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.kind, test.path, diff)
		}
	}
}

func TestListsWithoutKeysAreAtomic(t *testing.T) {
	tests := []struct{ kind, path string }{
		{"/v1/ServiceAccount", "imagePullSecrets"},
		{"/v1/Pod", "spec.tolerations"},
		{"/v1/Pod", "spec.containers[].envFrom"},
		{"/v1/Pod", "spec.containers[].command"},
		{"/v1/Pod", "spec.containers[].args"},
		{"/v1/Pod", "spec.volumes[].projected.sources"},
		{"apps/v1/StatefulSet", "spec.volumeClaimTemplates"},
		{"autoscaling/v2/HorizontalPodAutoscaler", "spec.metrics"},
		{"networking.k8s.io/v1/Ingress", "spec.rules"},
		{"networking.k8s.io/v1/NetworkPolicy", "spec.ingress"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "rules"},
		{"rbac.authorization.k8s.io/v1/RoleBinding", "subjects"},
	}
	for _, test := range tests {
		if list := lookup(t, test.kind, test.path); list != nil && list.Relation != Atomic {
			t.Errorf("%s %s is %+v, want no row or an atomic list", test.kind, test.path, list)
		}
	}
}

func TestSets(t *testing.T) {
	tests := []struct{ kind, path string }{
		{"/v1/ConfigMap", "metadata.finalizers"},
		{"apps/v1/Deployment", "spec.template.metadata.finalizers"},
		{"/v1/Node", "spec.podCIDRs"},
		{"storage.k8s.io/v1/CSIDriver", "spec.volumeLifecycleModes"},
	}
	for _, test := range tests {
		if list := lookup(t, test.kind, test.path); list == nil || list.Relation != Set {
			t.Errorf("%s %s is %+v, want a set", test.kind, test.path, list)
		}
	}
}

func TestAtomicStructs(t *testing.T) {
	tests := []struct{ kind, path string }{
		{"/v1/Pod", "spec.containers[].env[].valueFrom.secretKeyRef"},
		{"/v1/Pod", "spec.containers[].env[].valueFrom.configMapKeyRef"},
		{"/v1/Pod", "spec.imagePullSecrets[]"},
		{"/v1/Pod", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
		{"/v1/Pod", "metadata.ownerReferences[]"},
		{"networking.k8s.io/v1/Ingress", "spec.defaultBackend.service.port"},
		{"rbac.authorization.k8s.io/v1/RoleBinding", "roleRef"},
	}
	for _, test := range tests {
		value := lookup(t, test.kind, test.path)
		if value == nil || value.Relation != Atomic || value.Fields != nil {
			t.Errorf("%s %s is %+v, want atomic", test.kind, test.path, value)
		}
	}
}

func TestSelectorsMergeByKey(t *testing.T) {
	tests := []struct{ kind, path string }{
		{"apps/v1/Deployment", "spec.selector"},
		{"apps/v1/Deployment", "spec.selector.matchLabels"},
		{"apps/v1/Deployment", "spec.template.spec.nodeSelector"},
		{"node.k8s.io/v1/RuntimeClass", "scheduling.nodeSelector"},
		{"/v1/Service", "spec.selector"},
		{"/v1/ReplicationController", "spec.selector"},
		{"/v1/PersistentVolume", "spec.claimRef"},
	}
	for _, test := range tests {
		if value := lookup(t, test.kind, test.path); value != nil && value.Relation != Granular {
			t.Errorf("%s %s is %+v, want granular", test.kind, test.path, value)
		}
	}
}

func TestRowsAreSortedForLookup(t *testing.T) {
	key := func(k kindRow) string { return k.group + "\x00" + k.kind }
	if !slices.IsSortedFunc(kubernetesKinds[:], func(a, b kindRow) int { return strings.Compare(key(a), key(b)) }) {
		t.Error("kinds are not sorted by group and kind")
	}
}

func TestTableIsSmall(t *testing.T) {
	n := 0
	for _, k := range kubernetesKinds {
		n += len(k.versions)
	}
	if n < 120 || n > 200 {
		t.Errorf("%d versions of kinds", n)
	}
	if n := len(kubernetesTypes); n < 250 || n > 400 {
		t.Errorf("%d types", n)
	}
}

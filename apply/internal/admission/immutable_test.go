package admission_test

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// changesOfImmutable are the changes that a server refuses because the field is
// immutable.
func changesOfImmutable(kind schema.Resource, live, result *yaml.Node) ([]merge.Conflict, error) {
	conflicts, err := admission.Refusals(kind, live, result, storedBoth(kind, live, result), func(*merge.Path) string { return "" })
	return slices.DeleteFunc(conflicts, func(c merge.Conflict) bool { return !strings.HasSuffix(c.Reason, "is immutable") }), err
}

func TestImmutable(t *testing.T) {
	tests := []struct {
		name, kind, live, result string
		want                     string // the paths
	}{
		{"selector", "apps/v1 Deployment", "spec: {selector: {matchLabels: {app: a}}, replicas: 1}",
			"spec: {selector: {matchLabels: {app: b}}, replicas: 2}", "spec.selector.matchLabels.app"},
		{"same selector", "apps/v1 Deployment", "spec: {selector: {matchLabels: {app: a}}, replicas: 1}",
			"spec: {selector: {matchLabels: {app: a}, matchExpressions: []}}", ""},
		{"stateful set", "apps/v1 StatefulSet", "spec: {serviceName: a, replicas: 1, podManagementPolicy: OrderedReady}",
			"spec: {serviceName: b, replicas: 2}", "spec.serviceName"},
		{"claim templates with defaults", "apps/v1 StatefulSet",
			"spec: {volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d, creationTimestamp: null}, " +
				"spec: {volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}]}",
			"spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 1024Mi}}}}]}", ""},
		{"another claim template", "apps/v1 StatefulSet",
			"spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}}]}",
			"spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 2Gi}}}}]}", "spec.volumeClaimTemplates"},
		{"template of a Job", "batch/v1 Job", "spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: a}]}}}",
			"spec: {template: {metadata: {labels: {a: c}}, spec: {containers: [{name: c, image: b}]}}}",
			"spec.template.metadata.labels.a, spec.template.spec.containers[name=\"c\"].image"},
		{"template of a suspended Job", "batch/v1 Job",
			"spec: {suspend: true, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: a}]}}}",
			"spec: {template: {spec: {nodeSelector: {a: b}, containers: [{name: c, image: a, resources: {limits: {cpu: 1}}}]}}}", ""},
		{"completions of a Job without parallelism", "batch/v1 Job", "spec: {parallelism: 1}", "spec: {}", "spec.completions"},
		{"parallelism of a Job with completions", "batch/v1 Job", "spec: {parallelism: 2, completions: 1}", "spec: {completions: 1}", ""},
		{"type gone", "v1 Secret", "type: Opaque", "data: {a: YQ==}", ""},
		{"other type", "v1 Secret", "type: Opaque", "type: example.com/other", "type"},
		{"mutable", "v1 ConfigMap", "data: {a: b}", "data: {a: c}", ""},
		{"immutable", "v1 ConfigMap", "{immutable: true, data: {a: b}}", "{immutable: true, data: {a: c}}", "data.a"},
		{"no longer immutable", "v1 ConfigMap", "{immutable: true, data: {a: b}}", "data: {a: b}", "immutable"},
		{"role", "rbac.authorization.k8s.io/v1 RoleBinding", "roleRef: {kind: Role, name: a}", "roleRef: {kind: Role, name: b}", "roleRef.name"},
		{"size of a bound claim", "v1 PersistentVolumeClaim", "{spec: {resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}",
			"spec: {resources: {requests: {storage: 2Gi}}}", ""},
		{"size of a pending claim", "v1 PersistentVolumeClaim", "{spec: {resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}",
			"spec: {resources: {requests: {storage: 2Gi}}}", "spec.resources.requests.storage"},
		{"volume of a claim is set", "v1 PersistentVolumeClaim", "spec: {accessModes: [a]}", "spec: {accessModes: [a], volumeName: v}", ""},
		{"volume of a claim changes", "v1 PersistentVolumeClaim", "spec: {volumeName: w}", "spec: {volumeName: v}", "spec.volumeName"},
		{"address of a service", "v1 Service", "spec: {clusterIP: 10.0.0.1}", "spec: {clusterIP: None}", "spec.clusterIP"},
		{"address of a service gone", "v1 Service", "spec: {clusterIP: 10.0.0.1}", "spec: {ports: []}", ""},
		{"custom", "example.com/v1 Thing", "spec: {size: 1, named: {a: 1, b: 1}}", "spec: {size: 2, named: {a: 2, c: 1}}",
			"spec.size, spec.named.a"},
		{"custom, set", "example.com/v1 Thing", "spec: {}", "spec: {size: 2, named: {a: 2}}", ""},
	}
	crd := parse(t, `
spec:
  group: example.com
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              size: {x-kubernetes-validations: [{rule: self == oldSelf}]}
              named: {additionalProperties: {x-kubernetes-validations: [{rule: self == oldSelf}]}}
`)
	known := schema.NewColumn(schema.StrategicMerge, schema.Trees(crd))
	for _, test := range tests {
		apiVersion, kind, _ := strings.Cut(test.kind, " ")
		group, version, found := strings.Cut(apiVersion, "/")
		if !found {
			group, version = "", apiVersion
		}
		conflicts, err := changesOfImmutable(known.Resource(group, version, kind), parse(t, test.live), parse(t, test.result))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var paths []string
		for _, d := range conflicts {
			paths = append(paths, d.Path.String())
		}
		if got := strings.Join(paths, ", "); got != test.want {
			t.Errorf("%s: nobody may change %q, want %q", test.name, got, test.want)
		}
	}
}

func TestImmutableOfNothing(t *testing.T) {
	kind := schema.NewColumn(schema.Structured, nil).Resource("apps", "v1", "Deployment")
	if conflicts, err := changesOfImmutable(kind, nil, parse(t, "spec: {selector: {}}")); len(conflicts) > 0 || err != nil {
		t.Errorf("what is created has fields that nobody may change: %v, %v", conflicts, err)
	}
}

// storedBoth returns a live object and a result as the server stores them.
func storedBoth(kind schema.Resource, live, result *yaml.Node) [2]*yaml.Node {
	fields := admission.NewFields()
	return [2]*yaml.Node{fields.Stored(kind, live), fields.Stored(kind, result)}
}

package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n.Content[0]
}

// TestRefusals checks rules/apply: refused objects: what a server refuses, and what it
// does not.
func TestRefusals(t *testing.T) {
	widget := parse(t, `{spec: {group: example.com, names: {kind: Widget}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}}}}]}}`)
	s := schema.NewColumn(schema.StrategicMerge, schema.Trees(widget))
	for name, c := range map[string]struct {
		kind         [3]string
		live, result string
		want         []string
	}{
		"a selector changes": {
			[3]string{"apps", "v1", "Deployment"}, "spec: {selector: {matchLabels: {a: b}}}", "spec: {selector: {matchLabels: {a: c}}}",
			[]string{"spec.selector.matchLabels.a: spec.selector is immutable"},
		},
		"a new Deployment may have any": {[3]string{"apps", "v1", "Deployment"}, "", "spec: {selector: {matchLabels: {a: c}}}", nil},
		"a StatefulSet grows": {
			[3]string{"apps", "v1", "StatefulSet"}, "spec: {replicas: 1, template: {metadata: {labels: {a: b}}}}",
			"spec: {replicas: 2, template: {metadata: {labels: {a: c}}}}", nil,
		},
		"a StatefulSet gets another Service": {
			[3]string{"apps", "v1", "StatefulSet"}, "spec: {serviceName: a}", "spec: {serviceName: b}", []string{"spec.serviceName: spec is immutable"},
		},
		"a claim grows": {
			[3]string{"", "v1", "PersistentVolumeClaim"}, "{spec: {resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}",
			"{spec: {resources: {requests: {storage: 2Gi}}}, status: {phase: Bound}}", nil,
		},
		"the same quantity": {
			[3]string{"", "v1", "PersistentVolumeClaim"}, "spec: {resources: {limits: {storage: 1Gi}}}", "spec: {resources: {limits: {storage: 1024Mi}}}", nil,
		},
		"what a CRD forbids": {
			[3]string{"example.com", "v1", "Widget"}, "spec: {size: 1}", "spec: {size: 2}", []string{"spec.size: spec.size is immutable"},
		},
		"two sources of a volume": {
			[3]string{"", "v1", "Pod"}, "", "spec: {volumes: [{name: v, emptyDir: {}, secret: {secretName: s}}]}",
			[]string{`spec.volumes[name="v"]: emptyDir and secret exclude each other`},
		},
		"two that live has already": {
			[3]string{"", "v1", "Pod"}, "spec: {volumes: [{name: v, emptyDir: {}, secret: {secretName: s}}]}",
			"spec: {volumes: [{name: v, emptyDir: {}, secret: {secretName: s}}]}", nil,
		},
		"a rolling update that is not one": {
			[3]string{"apps", "v1", "Deployment"}, "", "spec: {strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}}",
			[]string{"spec.strategy: rollingUpdate is not allowed with type Recreate"},
		},
		"a DaemonSet may have both": {
			[3]string{"apps", "v1", "DaemonSet"}, "", "spec: {updateStrategy: {type: OnDelete, rollingUpdate: {maxSurge: 1}}}", nil,
		},
		"a number for a string": {
			[3]string{"", "v1", "ConfigMap"}, "", "data: {a: 1, b: '1'}", []string{"data.a: a number in a map of strings; quote it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kind, live, result := s.Resource(c.kind[0], c.kind[1], c.kind[2]), parse(t, c.live), parse(t, c.result)
			found, err := admission.Refusals(kind, live, result, func() ([]merge.Comparison, error) { return merge.Differences(live, result, kind) })
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Path.String()+": "+f.Reason)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/identity"
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

// TestRefusals checks rules/apply: refused objects, with changes that a server refuses and
// changes that it accepts.
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
	} {
		t.Run(name, func(t *testing.T) {
			kind, live, result := s.Resource(c.kind[0], c.kind[1], c.kind[2]), parse(t, c.live), parse(t, c.result)
			found, err := admission.Refusals(kind, live, result, storedBoth(kind, live, result), func(*merge.Path) string { return "" })
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

// TestUndecodable checks rules/apply: refused objects: values of the wrong type and unknown fields.
func TestUndecodable(t *testing.T) {
	thing := parse(t, `{apiVersion: apiextensions.k8s.io/v1, spec: {group: example.com, names: {kind: Thing}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, properties: {size: {type: integer, nullable: true}, names: {type: array, items: {type: string}}, map: {type: object, additionalProperties: {type: boolean}},
			port: {x-kubernetes-int-or-string: true}, any: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}}}]}}`)
	s, fields := schema.NewColumn(schema.Structured, schema.Trees(thing)), admission.NewFields()
	for name, c := range map[string]struct {
		config, live string
		serverSide   bool
		want         []string
	}{
		"texts": {config: `{apiVersion: v1, kind: Pod, metadata: {name: 123}, spec: {containers: [{name: a, args: [3600, "1"], env: [{name: A, value: true}]}]}}`, want: []string{
			"metadata.name: a number, where the server takes text only; quote it",
			"spec.containers[name=\"a\"].args[index=0]: a number, where the server takes text only; quote it",
			"spec.containers[name=\"a\"].env[name=\"A\"].value: a boolean, where the server takes text only; quote it",
		}},
		"numbers": {config: `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: "3", revisionHistoryLimit: 1.5, minReadySeconds: 2.0}}`, want: []string{
			"spec.replicas: a text, where the server takes whole numbers only", "spec.revisionHistoryLimit: a number, where the server takes whole numbers only",
		}},
		"quantities": {config: `{apiVersion: v1, kind: ResourceQuota, spec: {hard: {pods: 3, cpu: 0.5, memory: 1Gi, x: true}}}`, want: []string{
			"spec.hard.x: a boolean, where the server takes a quantity only",
		}},
		"other kinds of values": {config: `{apiVersion: apps/v1, kind: Deployment, spec: {paused: "true", selector: [], template: {spec: {containers: {}}}}}`, want: []string{
			"spec.paused: a text, where the server takes true or false only", "spec.selector: a list, where the server takes a map only",
			"spec.template.spec.containers: a map, where the server takes a list only",
		}},
		"base64 and times": {config: `{apiVersion: v1, kind: Secret, metadata: {creationTimestamp: now}, data: {a: "%"}, stringData: {a: "%"}}`, want: []string{
			"metadata.creationTimestamp: the value is not a time such as 2006-01-02T15:04:05Z", "data.a: the text is not in base64",
		}},
		"an unknown field": {config: `{apiVersion: apps/v1, kind: Deployment, spec: {replcas: 3, new: null}}`, live: "spec: {}", want: []string{
			"spec.replcas: there is no field replcas; did you mean replicas?",
		}},
		"a null on the server": {config: `{apiVersion: apps/v1, kind: Deployment, spec: {new: null, replicas: null}}`, serverSide: true, want: []string{"spec.new: there is no field new"}},
		"a field that is live": {config: `{apiVersion: apps/v1, kind: Deployment, spec: {new: 3}}`, live: "spec: {new: 2}"},
		"a kind nobody knows": {config: `{apiVersion: example.org/v1, kind: Foo, metadata: {name: a, labels: {a: 1}}, spec: {new: 3}}`, want: []string{
			"metadata.labels.a: a number, where the server takes text only; quote it",
		}},
		"custom": {config: `{apiVersion: example.com/v1, kind: Thing, spec: {size: null, names: [null, 1], map: {a: 1}, port: true, any: {a: 1}, sizes: 1}, spc: 1}`, want: []string{
			"spec.names[index=0]: a null, and the CRD allows none there", "spec.names[index=1]: a number, where the server takes text only; quote it",
			"spec.map.a: a number, where the server takes true or false only", "spec.port: a boolean, where the server takes a whole number or a text only",
			"spec.sizes: there is no field sizes; did you mean size?", "spc: there is no field spc; did you mean spec?",
		}},
		"custom on the server": {config: `{apiVersion: example.com/v1, kind: Thing, spec: {size: null, names: null}}`, serverSide: true, want: []string{
			"spec.names: a null, and the CRD allows none there",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			config := parse(t, c.config)
			id := [2]string{config.Content[1].Value, config.Content[3].Value}
			kind := s.Resource(identity.Group(id[0]), identity.Version(id[0]), id[1])
			var got []string
			for _, f := range fields.Undecodable(kind, config, parse(t, c.live), c.serverSide, true) {
				got = append(got, f.Path.String()+": "+f.Reason)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

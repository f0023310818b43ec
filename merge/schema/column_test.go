package schema

import (
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"
)

// inColumn returns the type at a path of a kind, with a CRD if text is not empty.
func inColumn(t *testing.T, column Column, crd string, kind [3]string, path string) *Type {
	t.Helper()
	var crds []*yaml.Node
	if crd != "" {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(crd), &doc); err != nil {
			t.Fatal(err)
		}
		crds = append(crds, doc.Content[0])
	}
	s := NewColumn(column, Trees(crds...))
	typ := below(s.Resource(kind[0], kind[1], kind[2]).Type, path)
	if len(s.Warnings) > 0 {
		t.Errorf("warnings: %v", s.Warnings)
	}
	return typ
}

func TestColumnsOfBuiltInKinds(t *testing.T) {
	service, deployment := [3]string{"", "v1", "Service"}, [3]string{"apps", "v1", "Deployment"}
	pod, budget := [3]string{"", "v1", "Pod"}, [3]string{"policy", "v1", "PodDisruptionBudget"}
	port, tcp := Key{Name: "port"}, Key{Name: "protocol", Default: "TCP"}
	tests := []struct {
		kind      [3]string
		path      string
		relations [3]Relation // Merging, StrategicMerge, Structured
		keys      [3][]Key
	}{
		{service, "spec.ports", [3]Relation{ListMap, ListMap, ListMap},
			[3][]Key{{port, tcp}, {port}, {{Name: "port", Default: 0}, tcp}}},
		{pod, "spec.topologySpreadConstraints", [3]Relation{ListMap, ListMap, ListMap}, [3][]Key{
			{{Name: "topologyKey"}, {Name: "whenUnsatisfiable"}}, {{Name: "topologyKey"}},
			{{Name: "topologyKey", Default: ""}, {Name: "whenUnsatisfiable", Default: ""}}}},
		{pod, "metadata.finalizers", [3]Relation{Set, Set, Set}, [3][]Key{}},
		{pod, "spec.nodeSelector", [3]Relation{Granular, Granular, Atomic}, [3][]Key{}},
		{deployment, "spec.selector", [3]Relation{Granular, Granular, Atomic}, [3][]Key{}},
		{budget, "spec.selector", [3]Relation{Granular, Atomic, Atomic}, [3][]Key{}},
		{pod, "spec.containers[].env[].valueFrom.secretKeyRef", [3]Relation{Atomic, Granular, Atomic}, [3][]Key{}},
		{pod, "spec.containers[].resources.claims", [3]Relation{ListMap, Atomic, ListMap},
			[3][]Key{{{Name: "name"}}, nil, {{Name: "name", Default: ""}}}},
	}
	for _, test := range tests {
		for _, column := range []Column{Merging, StrategicMerge, Structured} {
			got := inColumn(t, column, "", test.kind, test.path)
			if got == nil {
				got = &Type{}
			}
			if got.Relation != test.relations[column] || !reflect.DeepEqual(got.Keys, test.keys[column]) {
				t.Errorf("column %d: %s %s is %d by %v, want %d by %v", column, test.kind[2], test.path,
					got.Relation, got.Keys, test.relations[column], test.keys[column])
			}
		}
	}
}

func TestUnionsAndQuantitiesAreInAllColumns(t *testing.T) {
	pod := [3]string{"", "v1", "Pod"}
	for _, column := range []Column{Merging, StrategicMerge, Structured} {
		if env := inColumn(t, column, "", pod, "spec.containers[].env[]"); env == nil || len(env.Unions) != 1 {
			t.Errorf("column %d: an environment variable is %+v", column, env)
		}
		if cpu := inColumn(t, column, "", pod, "spec.containers[].resources.limits.cpu"); cpu == nil || cpu.Scalar != Quantity {
			t.Errorf("column %d: a limit is %+v", column, cpu)
		}
	}
}

func TestStructsThatRetainKeys(t *testing.T) {
	pod, deployment := [3]string{"", "v1", "Pod"}, [3]string{"apps", "v1", "Deployment"}
	for _, column := range []Column{Merging, StrategicMerge, Structured} {
		volume := inColumn(t, column, "", pod, "spec.volumes[]")
		strategy := inColumn(t, column, "", deployment, "spec.strategy")
		if want := column == StrategicMerge; volume.RetainKeys != want || strategy.RetainKeys != want {
			t.Errorf("column %d: a volume retains keys: %t, a strategy: %t", column, volume.RetainKeys, strategy.RetainKeys)
		}
	}
}

func TestMapsOfStrings(t *testing.T) {
	tests := []struct {
		kind [3]string
		path string
		want bool
	}{
		{[3]string{"", "v1", "ConfigMap"}, "data.any", true},
		{[3]string{"", "v1", "ConfigMap"}, "metadata.labels.any", true},
		{[3]string{"example.com", "v1", "Unknown"}, "metadata.annotations.any", true},
		{[3]string{"", "v1", "Pod"}, "spec.nodeSelector.any", true},
		{[3]string{"apps", "v1", "Deployment"}, "spec.selector.matchLabels.any", true},
		{[3]string{"", "v1", "Pod"}, "spec.containers[].env[].value", false},
		{[3]string{"", "v1", "Pod"}, "spec.replicas", false},
	}
	for _, test := range tests {
		for _, column := range []Column{StrategicMerge, Structured} {
			typ := inColumn(t, column, "", test.kind, test.path)
			if got := typ != nil && typ.Scalar == String; got != test.want {
				t.Errorf("column %d: %s %s is a string: %t", column, test.kind[2], test.path, got)
			}
		}
		if typ := inColumn(t, Merging, "", test.kind, test.path); typ != nil && typ.Scalar == String {
			t.Errorf("Merging: %s %s is a string", test.kind[2], test.path)
		}
	}
}

const thing = `
spec:
  group: example.com
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}}
              names: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              plain: {type: array, items: {type: object, properties: {name: {type: string}}}}
              whole: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              texts: {type: object, additionalProperties: {type: string}}
              size: {anyOf: [{type: integer}, {type: string}], pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`

func TestColumnsOfCustomResources(t *testing.T) {
	kind := [3]string{"example.com", "v1", "Thing"}
	ports := []Key{{Name: "port"}, {Name: "protocol", Default: "TCP"}}
	tests := map[string][2]Type{ // StrategicMerge, Structured
		"spec.ports":                        {{Relation: Atomic}, {Relation: ListMap, Keys: ports}},
		"spec.names":                        {{Relation: Atomic}, {Relation: Set}},
		"spec.plain":                        {{Relation: Atomic}, {Relation: Atomic}},
		"spec.whole":                        {{}, {Relation: Atomic}},
		"spec.texts.any":                    {{Scalar: String}, {Scalar: String}},
		"spec.whole.any":                    {{Scalar: String}, {Scalar: String}},
		"spec.size":                         {{}, {}},
		"metadata.finalizers":               {{}, {Relation: Set}},
		"metadata.ownerReferences":          {{}, {Relation: ListMap, Keys: []Key{{Name: "uid", Default: ""}}}},
		"spec.template.metadata.finalizers": {{}, {Relation: Set}},
	}
	for path, want := range tests {
		for i, column := range []Column{StrategicMerge, Structured} {
			got := Type{}
			if typ := inColumn(t, column, thing, kind, path); typ != nil {
				got = Type{Relation: typ.Relation, Keys: typ.Keys, Scalar: typ.Scalar}
			}
			if !reflect.DeepEqual(got, want[i]) {
				t.Errorf("column %d: %s is %+v, want %+v", column, path, got, want[i])
			}
		}
	}
}

func TestColumnsOfKindsWithoutCRD(t *testing.T) {
	known := [3]string{"gateway.networking.k8s.io", "v1", "HTTPRoute"}
	if list := inColumn(t, Structured, "", known, "spec.rules"); list == nil || list.Relation != Atomic {
		t.Errorf("the rules of a route are %+v", list)
	}
	gateway := [3]string{"gateway.networking.k8s.io", "v1", "Gateway"}
	if list := inColumn(t, Structured, "", gateway, "spec.listeners"); list == nil || list.Relation != ListMap {
		t.Errorf("the listeners of a gateway are %+v", list)
	}
	if list := inColumn(t, StrategicMerge, "", gateway, "spec.listeners"); list != nil {
		t.Errorf("a JSON merge patch has listeners by %+v", list)
	}
	crd := [3]string{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}
	for _, column := range []Column{StrategicMerge, Structured} {
		r := NewColumn(column, nil).Resource("example.com", "v1", "Unknown")
		if _, isPod := r.PodTemplate(nil); r.Infer || isPod {
			t.Errorf("column %d guesses", column)
		}
		if list := inColumn(t, column, "", crd, "spec.versions"); list != nil {
			t.Errorf("column %d: the versions of a CRD are %+v", column, list)
		}
		if set := inColumn(t, column, "", crd, "metadata.finalizers"); set == nil || set.Relation != Set {
			t.Errorf("column %d: the finalizers of a CRD are %+v", column, set)
		}
	}
}

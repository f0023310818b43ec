package schema

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestListsByHand(t *testing.T) {
	target := "target.group,target.kind,target.namespace,target.name,target.labelSelector,target.annotationSelector"
	tests := []struct {
		group, kind, path string
		relation          Relation
		keys              string
	}{
		{"kustomize.config.k8s.io", "Kustomization", "resources", Set, ""},
		{"kustomize.config.k8s.io", "Kustomization", "components", Set, ""},
		{"kustomize.config.k8s.io", "Kustomization", "crds", Set, ""},
		{"kustomize.config.k8s.io", "Kustomization", "generators", Set, ""},
		{"kustomize.config.k8s.io", "Kustomization", "transformers", Set, ""},
		{"kustomize.config.k8s.io", "Component", "validators", Set, ""},
		{"kustomize.config.k8s.io", "Kustomization", "configMapGenerator", ListMap, "name"},
		{"kustomize.config.k8s.io", "Kustomization", "secretGenerator", ListMap, "name"},
		{"kustomize.config.k8s.io", "Component", "images", ListMap, "name"},
		{"kustomize.config.k8s.io", "Kustomization", "replicas", ListMap, "name"},
		{"kustomize.config.k8s.io", "Kustomization", "patches", ListMap, "path," + target},
		{"kustomize.config.k8s.io", "Kustomization", "helmCharts", ListMap, "name,releaseName"},
		{"kpt.dev", "Kptfile", "pipeline.mutators", Functions, ""},
		{"kpt.dev", "Kptfile", "pipeline.validators", Functions, ""},
		{"apiextensions.k8s.io", "CustomResourceDefinition", "spec.versions", ListMap, "name"},
		{"apiextensions.k8s.io", "CustomResourceDefinition", "spec.versions[].schema.openAPIV3Schema.required", Set, ""},
		{
			"apiextensions.k8s.io", "CustomResourceDefinition",
			"spec.versions[].schema.openAPIV3Schema.properties.required.items.additionalProperties.required", Set, "",
		},
		{
			"apiextensions.k8s.io", "CustomResourceDefinition",
			"spec.versions[].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations", ListMap, "rule",
		},
	}
	s := New(nil, nil, true)
	for _, test := range tests {
		list := below(s.Resource(test.group, "v1", test.kind).Type, test.path)
		if list == nil || list.Relation != test.relation || names(list.Keys) != test.keys {
			t.Errorf("%s %s is %+v, want %v %s", test.kind, test.path, list, test.relation, test.keys)
		}
	}
}

func TestValidationOfDefinitions(t *testing.T) {
	s := New(nil, nil, true)
	for version, want := range map[string]bool{"v1beta1": true, "v1": false} {
		list := below(s.Resource("apiextensions.k8s.io", version, "CustomResourceDefinition").Type, "spec.validation.openAPIV3Schema.properties.spec.required")
		if got := list != nil && list.Relation == Set; got != want {
			t.Errorf("%s knows spec.validation: %v, want %v", version, got, want)
		}
	}
}

func TestOrderOfAnswers(t *testing.T) {
	var doc yaml.Node
	crd := `
spec:
  group: apiextensions.crossplane.io
  names: {kind: Composition}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              pipeline:
                type: array
                x-kubernetes-list-type: atomic
                items: {type: object}
`
	if err := yaml.Unmarshal([]byte(crd), &doc); err != nil {
		t.Fatal(err)
	}
	const group, kind = "apiextensions.crossplane.io", "Composition"
	rule := Rule{Group: group, Kind: kind, Path: []string{"spec", "pipeline"}, Keys: []Key{{Name: "functionRef.name"}}}
	tests := map[string]struct {
		schema   *Schema
		relation Relation
		keys     string
	}{
		"a rule first":     {New([]Rule{rule}, Trees(doc.Content[0]), true), ListMap, "functionRef.name"},
		"then a CRD":       {New(nil, Trees(doc.Content[0]), true), Atomic, ""},
		"then the table":   {New(nil, nil, true), ListMap, "step"},
		"also without CRD": {New([]Rule{rule}, nil, true), ListMap, "functionRef.name"},
	}
	for name, test := range tests {
		list := below(test.schema.Resource(group, "v1", kind).Type, "spec.pipeline")
		if list == nil || list.Relation != test.relation || names(list.Keys) != test.keys {
			t.Errorf("%s: %+v, want %v %s", name, list, test.relation, test.keys)
		}
	}
}

func TestVersionThatTheTableLacksIsTheNewest(t *testing.T) {
	s := New(nil, nil, true)
	newest := s.Resource("gateway.networking.k8s.io", "v1", "Gateway")
	later := s.Resource("gateway.networking.k8s.io", "v2", "Gateway")
	if below(later.Type, "spec") == nil || below(later.Type, "spec") != below(newest.Type, "spec") {
		t.Error("Gateway v2 is not that of v1")
	}
}

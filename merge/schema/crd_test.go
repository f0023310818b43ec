package schema

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestSchemasAreReadWhenAskedFor counts the schemas of CRDs that are read: only the schemas of the requested kinds
// and versions, each once.
func TestSchemasAreReadWhenAskedFor(t *testing.T) {
	const text = `spec:
  group: a.io
  scope: Cluster
  names: {kind: A}
  versions:
  - {name: v1, schema: {openAPIV3Schema: null}}
  - {name: v2, schema: {openAPIV3Schema: null}}
`
	var tree, whole yaml.Node
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte("properties: {a: {type: array, x-kubernetes-list-type: set}}"), &whole); err != nil {
		t.Fatal(err)
	}
	read := map[*yaml.Node]int{}
	value := func(n *yaml.Node) *yaml.Node {
		read[n]++
		return whole.Content[0]
	}
	s := New(nil, []CRD{{Tree: tree.Content[0], Value: value}}, true)
	if !s.ClusterScoped("a.io", "A") || len(read) > 0 {
		t.Errorf("%d schemas are read for the scope", len(read))
	}
	s.Resource("b.io", "v1", "A")
	if len(read) > 0 {
		t.Errorf("%d schemas are read for another kind", len(read))
	}
	for range 2 {
		r := s.Resource("a.io", "v2", "A")
		if list := below(r.Type, "a"); list == nil || list.Relation != Set {
			t.Errorf("a is %+v", list)
		}
		r.OpenAPI()
	}
	v2 := yamlnode.Lookup(yamlnode.Lookup(tree.Content[0], "spec", "versions").Content[1], "schema", "openAPIV3Schema")
	if len(read) != 1 || read[v2] != 1 {
		t.Errorf("read: %v, want that of v2 once", read)
	}
}

// TestCRDsAreReadWhenAskedFor counts the reads of CRDs: none for kinds that no CRD can define.
func TestCRDsAreReadWhenAskedFor(t *testing.T) {
	const text = "spec: {group: a.io, scope: Cluster, names: {kind: A}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}"
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	reads := 0
	s := New(nil, []CRD{{Read: func() *yaml.Node { reads++; return tree.Content[0] }}}, true)
	for _, own := range [][3]string{{"", "v1", "Service"}, {"apps", "v1", "Deployment"}, {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}} {
		s.Resource(own[0], own[1], own[2])
		s.ClusterScoped(own[0], own[2])
		s.HasStatus(own[0], own[1], own[2])
	}
	if reads > 0 {
		t.Errorf("the CRD is read %d times for kinds of Kubernetes", reads)
	}
	if !s.ClusterScoped("a.io", "A") || s.Resource("a.io", "v1", "A").Type == nil || reads == 0 {
		t.Errorf("the CRD is read %d times for its own kind", reads)
	}
}

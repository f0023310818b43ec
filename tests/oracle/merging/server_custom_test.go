package merging

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialServerSideCustom is TestDifferentialServerSide for a custom resource that
// has each kind of list and map.
func TestDifferentialServerSideCustom(t *testing.T) {
	tally := map[string]int{}
	crd := parse(t, gadget)
	kind := customKind(t, crd)
	column := schema.NewColumn(schema.Structured, schema.Trees(crd)).Resource("example.com", "v1", "Gadget")
	for seed := range kinddraw.Scaled(t, 1000) {
		d := drawer{kinddraw.NewDrawer(kind.Kind, 1, uint64(seed))}
		c := serverCase{name: fmt.Sprintf("Gadget, seed %d", seed), kind: kind, column: column}
		if c.draw(t, d); len(c.live.GetManagedFields()) > 0 {
			c.compare(t, tally)
		}
	}
	report(t, tally, serverClasses()[:2])
}

const gadget = `
spec:
  group: example.com
  names: {kind: Gadget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              level: {type: integer}
              on: {type: boolean}
              items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}, inner: {type: object, properties: {a: {type: string}, b: {type: string}}}, tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}}
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, required: [port], properties: {port: {type: integer}, protocol: {type: string, default: TCP}, label: {type: string}}}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              steps: {type: array, items: {type: object, properties: {name: {type: string}}}}
              words: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
              frozen: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}, b: {type: string}}}
              still: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              options: {type: object, additionalProperties: {type: string}}
              structs: {type: object, additionalProperties: {type: object, properties: {a: {type: string}, b: {type: integer}}}}
              anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
              some: {type: object, properties: {known: {type: string}}, x-kubernetes-preserve-unknown-fields: true}
`

// customKind is the kind of a CRD as the API server knows it: with the metadata of every
// resource.
func customKind(t *testing.T, crd *yaml.Node) kindUnderTest {
	t.Helper()
	text := crd
	for _, step := range []string{"spec", "versions"} {
		text = yamlnode.Field(text, step)
	}
	var root any
	if err := yamlnode.Lookup(text.Content[0], "schema", "openAPIV3Schema").Decode(&root); err != nil {
		t.Fatal(err)
	}
	texts := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	fields := root.(map[string]any)["properties"].(map[string]any)
	scalar := map[string]any{"type": "string"}
	fields["apiVersion"], fields["kind"] = scalar, scalar
	fields["metadata"] = map[string]any{"type": "object", "properties": map[string]any{
		"name": scalar, "labels": texts, "annotations": texts,
		managedFields: map[string]any{"type": "array", "items": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		"finalizers":  map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": scalar},
		"ownerReferences": map[string]any{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"uid"},
			"items": map[string]any{"type": "object", "x-kubernetes-map-type": "atomic", "properties": map[string]any{"uid": scalar, "kind": scalar}},
		},
	}}
	var model spec.Schema
	encoded, err := json.Marshal(root)
	if err == nil {
		err = json.Unmarshal(encoded, &model)
	}
	if err != nil {
		t.Fatal(err)
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(map[string]*spec.Schema{"gadget": &model}, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range converted.Types {
		sortFields(&converted.Types[i].Atom)
	}
	written, err := yaml.Marshal(smd.Schema{Types: converted.Types})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := kinddraw.Parse(written)
	if err != nil {
		t.Fatal(err)
	}
	name := "gadget"
	parser := typed.Parser{Schema: smd.Schema{Types: converted.Types}}
	return kindUnderTest{
		Kind: kinddraw.Kind{
			APIVersion: "example.com/v1", Name: "Gadget", Schema: drawn, Type: kinddraw.TypeRef{NamedType: &name},
			Ours: schema.New(nil, schema.Trees(crd), true).Resource("example.com", "v1", "Gadget"),
		},
		theirs: parser.Type(name),
	}
}

// sortFields gives the fields of a type an order, which they come without.
func sortFields(of *smd.Atom) {
	if of.List != nil {
		sortFields(&of.List.ElementType.Inlined)
	}
	if of.Map == nil {
		return
	}
	slices.SortFunc(of.Map.Fields, func(a, b smd.StructField) int { return strings.Compare(a.Name, b.Name) })
	sortFields(&of.Map.ElementType.Inlined)
	for i := range of.Map.Fields {
		sortFields(&of.Map.Fields[i].Type.Inlined)
	}
}

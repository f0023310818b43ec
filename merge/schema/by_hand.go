package schema

import (
	"cmp"
	"maps"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// byHand returns the type of a kind that people keep in packages beside Kubernetes
// kinds (rules/schemas: tables of other kinds), nil if it is none of them. It is after
// kustomize's, kpt's and apiextensions' own API types; what is not listed here is
// atomic, if it is a list.
func byHand(id groupKind) *Type {
	switch id {
	case groupKind{"kustomize.config.k8s.io", "Kustomization"}, groupKind{"kustomize.config.k8s.io", "Component"}:
		return kustomizationType()
	case groupKind{"kpt.dev", "Kptfile"}:
		return kptfileType()
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		return definitionType()
	}
	return nil
}

// supplement returns what the API server of a kind does with its lists, and its
// CRD does not say; it counts where nothing else has an answer. nil if there is
// nothing of this.
//
// Knative gives the one container of a Pod its name if it has none.
func supplement(id groupKind) *Type {
	containers := keyedBy(Key{Name: "name", Default: "user-container"})
	pod := structOf("spec", structOf("containers", containers))
	switch id {
	case groupKind{"serving.knative.dev", "Service"}, groupKind{"serving.knative.dev", "Configuration"}:
		return structOf("spec", structOf("template", pod))
	case groupKind{"serving.knative.dev", "Revision"}:
		return pod
	}
	return nil
}

// kustomizationType has patches by what they are in and what they apply to: one
// of several fields tells them apart, and most of the parts are absent.
func kustomizationType() *Type {
	set := &Type{Relation: Set}
	byName := keyedBy(Key{Name: "name"})
	images := keyedBy(Key{Name: "name"})
	images.Elem = &Type{Image: &ImageFields{Name: []string{"newName"}, Tag: []string{"newTag", "digest"}, Key: "name"}}
	patches := keyedBy(
		Key{Name: "path"}, Key{Name: "target.group"}, Key{Name: "target.kind"}, Key{Name: "target.namespace"},
		Key{Name: "target.name"}, Key{Name: "target.labelSelector"}, Key{Name: "target.annotationSelector"},
	)
	return &Type{Fields: map[string]*Type{
		"resources": set, "components": set, "crds": set, "generators": set, "transformers": set, "validators": set,
		"bases": set, "configurations": set, "patchesStrategicMerge": set,
		"configMapGenerator": byName, "secretGenerator": byName, "images": images, "replicas": byName, "vars": byName,
		"patches": patches, "patchesJson6902": patches,
		"helmCharts": keyedBy(Key{Name: "name"}, Key{Name: "releaseName"}),
	}}
}

func kptfileType() *Type {
	functions := &Type{Relation: Functions, Elem: structOf("image", &Type{Scalar: Image})}
	pipeline := &Type{Fields: map[string]*Type{"mutators": functions, "validators": functions}}
	return structOf("pipeline", pipeline)
}

// definitionType is that of both versions of apiextensions.k8s.io.
func definitionType() *Type {
	schema := structOf("openAPIV3Schema", schemaType())
	version := structOf("schema", schema)
	versions := keyedBy(Key{Name: "name"})
	versions.Elem = version
	return structOf("spec", &Type{Fields: map[string]*Type{"versions": versions, "validation": schema}})
}

// schemaType is that of an OpenAPI schema, in which there are schemas at any
// depth.
func schemaType() *Type {
	t := &Type{}
	named := &Type{Elem: t}
	t.Fields = map[string]*Type{
		"required":                 {Relation: Set},
		"x-kubernetes-validations": keyedBy(Key{Name: "rule"}),
		"properties":               named, "patternProperties": named, "definitions": named,
		"items": t, "additionalProperties": t, "additionalItems": t, "not": t,
	}
	return t
}

func keyedBy(keys ...Key) *Type { return &Type{Relation: ListMap, Keys: keys} }

// structOf is the type of a struct of which one field matters.
func structOf(name string, field *Type) *Type {
	return &Type{Fields: map[string]*Type{name: field}}
}

// overlay is base with the answers of top, which come first: a relation with
// its keys, unions, what a scalar stands for. Types lead to themselves in no
// more than one of the two.
func overlay(top, base *Type) *Type {
	if top == nil || base == nil {
		return cmp.Or(top, base)
	}
	out := *top
	if top.Relation == Granular {
		out.Relation, out.Keys = base.Relation, base.Keys
	}
	if len(top.Unions) == 0 {
		out.Unions = base.Unions
	}
	if top.Scalar == Opaque {
		out.Scalar = base.Scalar
	}
	out.Described = max(top.Described, base.Described)
	out.Elem = overlay(top.Elem, base.Elem)
	out.Fields = maps.Clone(base.Fields)
	for name, field := range top.Fields {
		if out.Fields == nil {
			out.Fields = make(map[string]*Type, len(top.Fields))
		}
		out.Fields[name] = overlay(field, base.Fields[name])
	}
	return &out
}

// withApart is t with maps of which no two may have a key in common.
func withApart(t *Type, names ...string) *Type {
	out := *t
	out.Apart = names
	return &out
}

// withObjectMeta is t with the metadata that every resource has.
func withObjectMeta(t, meta *Type) *Type {
	if t.Field("metadata") == meta {
		return t
	}
	return t.withField("metadata", meta)
}

// inferable lists the fields that may be a key, in the order in which they are tried
// (rules/schemas: inference): first those that are keys where an element has a name
// too.
func inferable() []string {
	return []string{"mountPath", "devicePath", "ip", "topologyKey", "name", "containerPort", "type"}
}

// InferKeys guesses the key of a list that no schema describes, from the lists
// that the sides have: the first field that every element on every side carries
// as a scalar, without repetition on a side. nil if there is none.
func InferKeys(lists ...[]*yaml.Node) []Key {
	for _, name := range inferable() {
		elements := 0
		fits := true
		for _, list := range lists {
			elements += len(list)
			fits = fits && tellsApart(name, list)
		}
		if fits && elements > 0 {
			return []Key{{Name: name}}
		}
	}
	return nil
}

// tellsApart reports whether every element has the field as a scalar, and no two
// have the same.
func tellsApart(name string, list []*yaml.Node) bool {
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		v := yamlnode.Field(yamlnode.Resolve(element), name)
		if v == nil || v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" || seen[v.Value] {
			return false
		}
		seen[v.Value] = true
	}
	return true
}

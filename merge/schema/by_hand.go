package schema

import (
	"cmp"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// byHand returns the type of a kind that people keep in packages beside Kubernetes kinds (rules/schemas: tables of
// other kinds), nil for any other. It follows the API types of kustomize, kpt and apiextensions; other lists are
// atomic.
func byHand(id kindVersion) *Type {
	switch id.groupKind() {
	case groupKind{"kustomize.config.k8s.io", "Kustomization"}, groupKind{"kustomize.config.k8s.io", "Component"}:
		return kustomizationType()
	case groupKind{"kpt.dev", "Kptfile"}:
		return kptfileType()
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		return definitionType(id.version)
	}
	return nil
}

// supplement returns a type with the lists that an API server treats as keyed and its CRD does not, nil if there is
// none. It counts where nothing else has an answer.
//
// Knative names the one container of a Pod if it has no name.
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

// kustomizationType has a key of many parts for patches, most of them absent: a patch's file and its target.
func kustomizationType() *Type {
	set := &Type{Relation: Set}
	byName := keyedBy(Key{Name: "name"})
	generators := keyedBy(Key{Name: "name"})
	generators.Elem = &Type{Fields: map[string]*Type{"files": set, "envs": set}}
	images := keyedBy(Key{Name: "name"})
	images.Elem = &Type{Image: &ImageFields{Name: []string{"newName"}, Tag: []string{"newTag", "digest"}, Key: "name"}}
	patches := keyedBy(
		Key{Name: "path"}, Key{Name: "target.group"}, Key{Name: "target.kind"}, Key{Name: "target.namespace"},
		Key{Name: "target.name"}, Key{Name: "target.labelSelector"}, Key{Name: "target.annotationSelector"},
	)
	return &Type{Fields: map[string]*Type{
		"resources": set, "components": set, "crds": set, "generators": set, "transformers": set, "validators": set,
		"bases": set, "configurations": set, "patchesStrategicMerge": set,
		"configMapGenerator": generators, "secretGenerator": generators, "images": images, "replicas": byName, "vars": byName,
		"patches": patches, "patchesJson6902": patches,
		"helmCharts": keyedBy(Key{Name: "name"}, Key{Name: "releaseName"}),
	}}
}

func kptfileType() *Type {
	functions := &Type{Relation: Functions, Elem: structOf("image", &Type{Scalar: Image})}
	pipeline := &Type{Fields: map[string]*Type{"mutators": functions, "validators": functions}}
	return structOf("pipeline", pipeline)
}

// definitionType returns the type of a version of a CustomResourceDefinition. In v1beta1 all versions may have one schema.
func definitionType(version string) *Type {
	schema := structOf("openAPIV3Schema", schemaType())
	versions := keyedBy(Key{Name: "name"})
	versions.Elem = structOf("schema", schema)
	spec := structOf("versions", versions)
	client := &Type{Unions: []Union{{Members: []string{"service", "url"}}}}
	conversion := &Type{Unions: []Union{{Members: []string{"webhook"}, Discriminator: "strategy"}}}
	conversion.Fields = map[string]*Type{"webhook": structOf("clientConfig", client)}
	if version == "v1beta1" {
		spec.Fields["validation"] = schema
		conversion = &Type{Unions: []Union{{Members: []string{"webhookClientConfig"}, Companions: []string{"conversionReviewVersions"}, Discriminator: "strategy"}}}
		conversion.Fields = map[string]*Type{"webhookClientConfig": client}
	}
	spec.Fields["conversion"] = conversion
	return structOf("spec", spec)
}

// schemaType returns the type of an OpenAPI schema, which has schemas at any depth.
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

// structOf returns the type of a struct with one known field.
func structOf(name string, field *Type) *Type { return &Type{Fields: map[string]*Type{name: field}} }

// overlay returns base with the answers of top, which come first: relation with keys, unions, scalar. At most one of
// the two types leads to itself.
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

// withMetadata returns t with the metadata of every resource.
func withMetadata(t, meta *Type) *Type {
	if t.Field("metadata") == meta {
		return t
	}
	return t.withField("metadata", meta)
}

// inferable lists the fields that may be a key, in order of preference (rules/schemas: inference): first the fields
// that are keys of elements that also have a name.
func inferable() []string {
	return []string{"mountPath", "devicePath", "ip", "topologyKey", "name", "containerPort", "type"}
}

// InferKeys guesses the key of a list that no schema describes from origin's, upstream's and local's list: the first
// inferable field that every element on every side has as a scalar, without repetition on a side, else the field that
// tells the elements apart which both sides changed in their place. nil if there is none.
func InferKeys(lists [3][]*yaml.Node) []Key {
	for _, name := range inferable() {
		elements, fits := 0, true
		for _, list := range lists {
			elements += len(list)
			fits = fits && isKeyOf(list, name)
		}
		if fits && elements > 0 {
			return []Key{{Name: name}}
		}
	}
	return keyInPlace(lists)
}

// isKeyOf reports whether every element of a list has a scalar in a field, and no two the same.
func isKeyOf(list []*yaml.Node, name string) bool {
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

// keyInPlace guesses the key of a list that has none of the inferable fields, from origin's,
// upstream's and local's list, if both sides changed elements of it in their place: the first field that every element has
// as a scalar of one line, without repetition, with the same values in the same order on all sides. Of each changed
// element at least half of origin's values are on both sides, else it may be another thing under a key that says little.
func keyInPlace(lists [3][]*yaml.Node) []Key {
	o, u, l := lists[0], lists[1], lists[2]
	if len(o) == 0 || len(u) != len(o) || len(l) != len(o) {
		return nil
	}
	for name := range yamlnode.Pairs(yamlnode.Resolve(o[0])) {
		if isKeyInPlace(lists, name.Value) && areInPlace(lists) {
			return []Key{{Name: name.Value}}
		}
	}
	return nil
}

// isKeyInPlace reports whether a field is a key of each of three lists, with the same values in the same order.
func isKeyInPlace(lists [3][]*yaml.Node, name string) bool {
	for i := range lists[0] {
		o := yamlnode.Field(yamlnode.Resolve(lists[0][i]), name)
		for _, list := range lists[1:] {
			if n := yamlnode.Field(yamlnode.Resolve(list[i]), name); o == nil || n == nil || n.Value != o.Value || strings.Contains(n.Value, "\n") {
				return false
			}
		}
	}
	return isKeyOf(lists[0], name) && isKeyOf(lists[1], name) && isKeyOf(lists[2], name)
}

// areInPlace reports whether both sides changed elements of a list, and kept half of the values of each.
func areInPlace(lists [3][]*yaml.Node) bool {
	changed := [3]bool{}
	for i := range lists[0] {
		var values [3]map[string]int
		for side, list := range lists {
			values[side] = map[string]int{}
			countValues(list[i], "", values[side])
		}
		kept, all := 0, 0
		for value, n := range values[0] {
			kept, all = kept+min(n, values[1][value], values[2][value]), all+n
		}
		for side := range values {
			changed[side] = changed[side] || !maps.Equal(values[side], values[0])
		}
		if 2*kept < all {
			return false
		}
	}
	return changed[1] && changed[2]
}

// countValues counts the scalars of a value by their paths.
func countValues(n *yaml.Node, path string, counts map[string]int) {
	switch n = yamlnode.Resolve(n); n.Kind {
	case yaml.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			countValues(v, path+"."+key.Value, counts)
		}
	case yaml.SequenceNode:
		for _, v := range n.Content {
			countValues(v, path+"[]", counts)
		}
	default:
		counts[path+"="+n.Value]++
	}
}

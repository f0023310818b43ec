package schema

// byHand returns the type of a kind that people keep in packages beside
// Kubernetes kinds (design 4, step 3), nil if it is none of them. It is after
// kustomize's, kpt's and apiextensions' own API types; what is not listed here
// is atomic, if it is a list.
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

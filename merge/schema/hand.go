package schema

// handTable describes what people keep in packages beside Kubernetes kinds
// (DESIGN 4.3), after kustomize's and apiextensions' own API types. What it
// does not list in them is atomic, if it is a list.
func handTable() map[groupKind]*Type {
	kustomization := kustomizationType()
	return map[groupKind]*Type{
		{"kustomize.config.k8s.io", "Kustomization"}:         kustomization,
		{"kustomize.config.k8s.io", "Component"}:             kustomization,
		{"kpt.dev", "Kptfile"}:                               kptfileType(),
		{"apiextensions.k8s.io", "CustomResourceDefinition"}: definitionType(),
	}
}

func kustomizationType() *Type {
	set := &Type{Relation: Set}
	byName := &Type{Relation: Keyed, Keys: []Key{{Name: "name"}}}
	fields := map[string]*Type{}
	for _, name := range []string{"resources", "components", "crds", "generators", "transformers", "validators"} {
		fields[name] = set
	}
	for _, name := range []string{"configMapGenerator", "secretGenerator", "images", "replicas"} {
		fields[name] = byName
	}
	return &Type{Fields: fields}
}

func kptfileType() *Type {
	function := &Type{Fields: map[string]*Type{"image": {Scalar: Image}}}
	functions := &Type{Relation: Functions, Elem: function}
	pipeline := &Type{Fields: map[string]*Type{"mutators": functions, "validators": functions}}
	return &Type{Fields: map[string]*Type{"pipeline": pipeline}}
}

func definitionType() *Type {
	versions := &Type{Relation: Keyed, Keys: []Key{{Name: "name"}}}
	return &Type{Fields: map[string]*Type{"spec": {Fields: map[string]*Type{"versions": versions}}}}
}

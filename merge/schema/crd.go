package schema

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// fromCRDs returns the type that the CRDs give a kind (DESIGN 4.2), nil if none
// describes it: in the version asked for, else in the newest that any of them
// has. Of two that describe one version, the first counts.
func (s *Schema) fromCRDs(id kindVersion) *Type {
	newest, found := (*definition)(nil), false
	for i := range s.definitions() {
		d := &s.defined[i]
		switch {
		case d.group != id.group || d.kind != id.kind:
		case d.version == id.version && !found:
			newest, found = d, true
		case !found && (newest == nil || CompareVersions(d.version, newest.version) > 0):
			newest = d
		}
	}
	if newest == nil {
		return nil
	}
	r := crdReader{budget: maxSchemaNodes}
	t := r.read(newest.schema, newest.path)
	for _, text := range r.problems {
		s.Warnings = append(s.Warnings, Warning{CRD: newest.crd, Text: text})
	}
	return t
}

// definition is the schema of one version of a custom resource.
type definition struct {
	kindVersion
	crd, schema *yaml.Node
	path        string // of schema in crd
}

// definitions reads which kinds and versions the CRDs define.
func (s *Schema) definitions() []definition {
	if s.defined == nil {
		s.defined = []definition{}
		for _, crd := range s.crds {
			s.defined = append(s.defined, define(crd)...)
		}
	}
	return s.defined
}

// define lists the versions of a CRD: each has its own schema, or in
// apiextensions.k8s.io/v1beta1 shares spec.validation.
func define(crd *yaml.Node) []definition {
	spec := fieldOf(crd, "spec")
	id := kindVersion{group: text(fieldOf(spec, "group")), kind: text(fieldOf(fieldOf(spec, "names"), "kind"))}
	shared := fieldOf(fieldOf(spec, "validation"), "openAPIV3Schema")
	var out []definition
	add := func(version string, schema *yaml.Node, path string) {
		if schema == nil {
			schema, path = shared, "spec.validation.openAPIV3Schema"
		}
		if id.version = version; version != "" && schema != nil {
			out = append(out, definition{kindVersion: id, crd: crd, schema: schema, path: path})
		}
	}
	versions := fieldOf(spec, "versions")
	if versions == nil || versions.Kind != yaml.SequenceNode {
		add(text(fieldOf(spec, "version")), nil, "")
		return out
	}
	for i, v := range versions.Content {
		path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		add(text(fieldOf(v, "name")), fieldOf(fieldOf(v, "schema"), "openAPIV3Schema"), path)
	}
	return out
}

func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

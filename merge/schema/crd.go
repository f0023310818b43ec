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
	if newest.read {
		return newest.typ
	}
	r := crdReader{budget: maxSchemaNodes}
	newest.typ, newest.read = r.read(newest.schema, newest.path), true
	for _, p := range r.problems {
		s.Warnings = append(s.Warnings, Warning{CRD: newest.crd, Path: p.path, Text: p.text})
	}
	return newest.typ
}

// definition is the schema of one version of a custom resource.
type definition struct {
	kindVersion
	crd, schema *yaml.Node
	path        string // of schema in crd
	typ         *Type  // once it is read
	read        bool
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
// apiextensions.k8s.io/v1beta1 shares spec.validation. What is of the wrong
// kind is handed on as a schema, for its reader to say so.
func define(crd *yaml.Node) []definition {
	spec := fieldOf(crd, "spec")
	defined := definedKind(spec)
	id := kindVersion{group: defined.group, kind: defined.kind}
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
	switch {
	case versions == nil:
		add(text(fieldOf(spec, "version")), nil, "")
	case versions.Kind != yaml.SequenceNode:
		out = append(out, definition{kindVersion: id, crd: crd, schema: versions, path: "spec.versions"})
	default:
		for i, v := range versions.Content {
			schema, path := versionSchema(v, fmt.Sprintf("spec.versions[%d].schema", i))
			add(text(fieldOf(v, "name")), schema, path)
		}
	}
	return out
}

// definedKind is the kind that a CRD's spec defines.
func definedKind(spec *yaml.Node) groupKind {
	return groupKind{text(fieldOf(spec, "group")), text(fieldOf(fieldOf(spec, "names"), "kind"))}
}

// versionSchema is the schema of one version, and its path.
func versionSchema(v *yaml.Node, path string) (*yaml.Node, string) {
	if outer := fieldOf(v, "schema"); outer != nil && outer.Kind != yaml.MappingNode {
		return outer, path
	}
	return fieldOf(fieldOf(v, "schema"), "openAPIV3Schema"), path + ".openAPIV3Schema"
}

func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

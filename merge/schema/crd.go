package schema

import (
	"cmp"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// CRD is a CustomResourceDefinition that a Schema may ask.
type CRD struct {
	// Tree is the whole CRD, or as much of it as Value says; nil if Read returns that.
	Tree *yaml.Node
	// Read is called each time that something is asked of which the CRD may say more
	// than Kubernetes does, and returns the same tree each time.
	Read func() *yaml.Node
	// Value returns the tree of a field openAPIV3Schema, where Tree has null for what
	// it holds: most of a CRD is schemas, and most schemas are never asked for. nil
	// says that Tree is whole.
	Value func(*yaml.Node) *yaml.Node
}

// tree is the CRD.
func (c CRD) tree() *yaml.Node {
	if c.Tree == nil && c.Read != nil {
		return c.Read()
	}
	return c.Tree
}

// Trees are the CRDs of whole trees.
func Trees(trees ...*yaml.Node) []CRD {
	crds := make([]CRD, len(trees))
	for i, tree := range trees {
		crds[i] = CRD{Tree: tree}
	}
	return crds
}

// definition is the schema of one version of a custom resource.
type definition struct {
	kindVersion
	crd    CRD
	schema *yaml.Node // as the CRD's tree has it
	whole  *yaml.Node // the same once it is read
	path   string     // of schema in crd
	typ    *Type      // once it is read
	read   bool
}

// tree is the schema, which is read when it is first asked for.
func (d *definition) tree() *yaml.Node {
	if d.whole == nil && d.crd.Value != nil {
		d.whole = d.crd.Value(d.schema)
	}
	return cmp.Or(d.whole, d.schema)
}

// define lists the versions of a CRD: each has its own schema, or in
// apiextensions.k8s.io/v1beta1 shares spec.validation. What is of the wrong
// kind is handed on as a schema, for its reader to say so.
func define(crd CRD) []definition {
	spec := yamlnode.Field(crd.tree(), "spec")
	defined := definedKind(spec)
	id := kindVersion{group: defined.group, kind: defined.kind}
	shared := yamlnode.Lookup(spec, "validation", "openAPIV3Schema")
	var out []definition
	add := func(version string, schema *yaml.Node, path string) {
		if schema == nil {
			schema, path = shared, "spec.validation.openAPIV3Schema"
		}
		if id.version = version; version != "" && schema != nil {
			out = append(out, definition{kindVersion: id, crd: crd, schema: schema, path: path})
		}
	}
	versions := yamlnode.Field(spec, "versions")
	switch {
	case versions == nil:
		add(yamlnode.Text(yamlnode.Field(spec, "version")), nil, "")
	case versions.Kind != yaml.SequenceNode:
		out = append(out, definition{kindVersion: id, crd: crd, schema: versions, path: "spec.versions"})
	default:
		for i, v := range versions.Content {
			v = yamlnode.Resolve(v)
			schema, path := versionSchema(v, fmt.Sprintf("spec.versions[%d].schema", i))
			add(yamlnode.Text(yamlnode.Field(v, "name")), schema, path)
		}
	}
	return out
}

// definedKind is the kind that a CRD's spec defines.
func definedKind(spec *yaml.Node) groupKind {
	return groupKind{yamlnode.Text(yamlnode.Field(spec, "group")), yamlnode.Text(yamlnode.Lookup(spec, "names", "kind"))}
}

// versionSchema is the schema of one version, and its path.
func versionSchema(v *yaml.Node, path string) (*yaml.Node, string) {
	if outer := yamlnode.Field(v, "schema"); outer != nil && outer.Kind != yaml.MappingNode {
		return outer, path
	}
	return yamlnode.Lookup(v, "schema", "openAPIV3Schema"), path + ".openAPIV3Schema"
}

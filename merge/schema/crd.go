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

// maxSchemaNodes bounds how much of a CRD's schema is read, aliases followed:
// more than the largest there are.
const maxSchemaNodes = 200_000

// crdReader reads structural schemas. What it cannot read it notes as a problem
// and leaves out: there the CRD has no answer.
type crdReader struct {
	column     Column
	objectMeta *Type // of embedded resources
	budget     int
	problems   []problem
}

// problem is what is wrong at a path of a CRD.
type problem struct{ path, text string }

func (r *crdReader) problem(path, format string, args ...any) {
	r.problems = append(r.problems, problem{path: path, text: fmt.Sprintf(format, args...)})
}

// read returns the type of a value, nil if the schema cannot be read. A schema that allows a
// null, or anything at all, does not describe what a null is but a value (rules/fields:
// null).
func (r *crdReader) read(schema *yaml.Node, path string) *Type {
	t := r.typeOf(schema, path)
	if t != nil && r.column == Merging && !enabled(schema, "nullable") && !enabled(schema, "x-kubernetes-preserve-unknown-fields") {
		t.Described = Itself
	}
	return t
}

// typeOf is read without what a null is.
func (r *crdReader) typeOf(schema *yaml.Node, path string) *Type {
	if r.budget--; r.budget < 0 {
		if r.budget == -1 {
			r.problem(path, "the schema is too large to be read")
		}
		return nil
	}
	if schema == nil || schema.Kind != yaml.MappingNode {
		r.problem(path, "want a map that describes a value")
		return nil
	}
	is := func(name, value string) bool { return yamlnode.Text(yamlnode.Field(schema, name)) == value }
	embedded := enabled(schema, "x-kubernetes-embedded-resource")
	switch {
	case embedded && r.column == Merging:
		return &Type{Embedded: true}
	case is("type", "array"):
		return r.list(schema, path)
	case is("x-kubernetes-map-type", "atomic") && r.column != StrategicMerge:
		return &Type{Relation: Atomic, Elem: r.texts(yamlnode.Field(schema, "additionalProperties"))}
	case is("pattern", quantityPattern) && r.column == Merging:
		return &Type{Scalar: Quantity}
	}
	t := r.object(schema, path)
	if embedded && r.column == Structured {
		t = t.withField("metadata", r.objectMeta)
	}
	return t
}

// texts is the type of the values of a map of strings, nil if they are any
// other, and for Merging, which does not ask.
func (r *crdReader) texts(values *yaml.Node) *Type {
	if r.column == Merging || yamlnode.Text(yamlnode.Field(values, "type")) != "string" {
		return nil
	}
	return &Type{Scalar: String}
}

// quantityPattern is how controller-gen writes that a field is a quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// object reads the fields of an object, or the values of a map.
func (r *crdReader) object(schema *yaml.Node, path string) *Type {
	t := &Type{}
	if properties := yamlnode.Field(schema, "properties"); properties != nil {
		if properties.Kind != yaml.MappingNode {
			r.problem(path+".properties", "want a map of fields")
			return nil
		}
		t.Fields = make(map[string]*Type, len(properties.Content)/2)
		for i := 0; i+1 < len(properties.Content); i += 2 {
			name := properties.Content[i].Value
			t.Fields[name] = r.read(yamlnode.Resolve(properties.Content[i+1]), path+".properties."+name)
		}
		if r.column == Merging && isContainerImage(properties) {
			t.Fields["image"] = &Type{Scalar: Image}
		}
	}
	if values := yamlnode.Field(schema, "additionalProperties"); values != nil && values.Kind == yaml.MappingNode {
		if t.Elem = r.texts(values); t.Elem == nil {
			t.Elem = r.read(values, path+".additionalProperties")
		}
		if r.column == Structured && t.Elem != nil {
			t.Elem.NoNull = !enabled(values, "nullable")
		}
	}
	if r.column == Structured && t.Elem == nil && enabled(schema, "x-kubernetes-preserve-unknown-fields") {
		t.Elem = untyped()
	}
	return t
}

// untyped is the type of what a CRD leaves open: a map of such values, if it is a map.
// Structured tells the entries of such a map from the fields of a struct.
func untyped() *Type {
	t := &Type{}
	t.Elem = t
	return t
}

// isContainerImage reports whether a struct's field image holds a container
// image: a string beside which stands when to pull it.
func isContainerImage(properties *yaml.Node) bool {
	return yamlnode.Field(properties, "imagePullPolicy") != nil && yamlnode.Text(yamlnode.Lookup(properties, "image", "type")) == "string"
}

// list reads a list. One without a list-type is no answer: its elements have a
// type all the same, for keys that are found otherwise. For Structured it is a
// whole value, and for StrategicMerge every list of a custom resource is.
func (r *crdReader) list(schema *yaml.Node, path string) *Type {
	t := &Type{}
	if r.column != Merging {
		t.Relation = Atomic
	}
	items := yamlnode.Field(schema, "items")
	if items != nil {
		t.Elem = r.read(items, path+".items")
	}
	if r.column == StrategicMerge {
		return t
	}
	switch kind := yamlnode.Text(yamlnode.Field(schema, "x-kubernetes-list-type")); kind {
	case "":
	case "atomic":
		t.Relation = Atomic
	case "set":
		t.Relation = Set
	case "map":
		if keys := r.keys(schema, items, path); len(keys) > 0 {
			t.Relation, t.Keys = ListMap, keys
		}
	default:
		r.problem(path+".x-kubernetes-list-type", "%q is not known, allowed are atomic, set, map", kind)
	}
	return t
}

// keys reads a list's keys with their defaults. A key that the elements lack
// makes the list one without an answer.
func (r *crdReader) keys(schema, items *yaml.Node, path string) []Key {
	names := yamlnode.Field(schema, "x-kubernetes-list-map-keys")
	if names == nil || names.Kind != yaml.SequenceNode || len(names.Content) == 0 {
		r.problem(path+".x-kubernetes-list-map-keys", "want a list of field names")
		return nil
	}
	var keys []Key
	for _, name := range names.Content {
		property := yamlnode.Field(yamlnode.Field(items, "properties"), name.Value)
		if property == nil {
			r.problem(path+".x-kubernetes-list-map-keys", "the elements have no field %q; the list is merged as if it had no keys", name.Value)
			return nil
		}
		keys = append(keys, Key{Name: name.Value, Default: scalarDefault(property)})
	}
	return keys
}

// scalarDefault is the default of a key field, nil if it has none.
func scalarDefault(property *yaml.Node) any {
	n := yamlnode.Field(property, "default")
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil // a scalar that yaml cannot decode is no default
	}
	return v
}

func enabled(schema *yaml.Node, name string) bool {
	return yamlnode.Text(yamlnode.Field(schema, name)) == "true"
}

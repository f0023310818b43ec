package schema

import (
	"cmp"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// CRD is a CustomResourceDefinition in a Schema.
type CRD struct {
	// Tree is the CRD, possibly without its schemas (see Value); nil if Read returns it.
	Tree *yaml.Node
	// Read returns the CRD, the same tree each time. It is called when a question needs the CRD.
	Read func() *yaml.Node
	// Value returns the content of a field openAPIV3Schema that is null in Tree: most of a CRD is schemas, and most
	// schemas are not needed. If it is nil, Tree is complete.
	Value func(*yaml.Node) *yaml.Node
}

func (c CRD) tree() *yaml.Node {
	if c.Tree == nil && c.Read != nil {
		return c.Read()
	}
	return c.Tree
}

// Trees returns CRDs with complete trees.
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
	schema *yaml.Node // in the CRD's tree
	whole  *yaml.Node // the schema once its content is read
	path   string     // of schema in crd
	typ    *Type      // if read
	read   bool
}

// tree returns the schema, which is read at the first question.
func (d *definition) tree() *yaml.Node {
	if d.whole == nil && d.crd.Value != nil {
		d.whole = d.crd.Value(d.schema)
	}
	return cmp.Or(d.whole, d.schema)
}

// fromCRDs returns the type of a kind in the CRDs (rules/schemas: CRDs), nil if none describes it.
func (s *Schema) fromCRDs(id kindVersion) *Type {
	d := s.definition(id)
	if d == nil {
		return nil
	}
	if !d.read {
		r := crdReader{budget: maxSchemaNodes, column: s.column, objectMeta: s.table.metadata()}
		d.typ, d.read = r.read(d.tree(), d.path), true
		for _, w := range r.problems {
			w.CRD = d.crd.tree()
			s.Warnings = append(s.Warnings, w)
		}
	}
	return d.typ
}

// definition returns the schema of a kind in the CRDs: in its version, else in the newest version of any CRD; nil if
// none describes the kind. Of two CRDs with one version, the first counts.
func (s *Schema) definition(id kindVersion) *definition {
	if s.table.isOwn(id.groupKind()) {
		return nil
	}
	if s.defined == nil {
		s.defined = map[groupKind][]*definition{}
		for _, crd := range s.crds {
			for _, d := range define(crd) {
				s.defined[d.groupKind()] = append(s.defined[d.groupKind()], &d)
			}
		}
	}
	newest := (*definition)(nil)
	for _, d := range s.defined[id.groupKind()] {
		if d.version == id.version {
			return d
		}
		if newest == nil || CompareVersions(d.version, newest.version) > 0 {
			newest = d
		}
	}
	return newest
}

// define lists the versions of a CRD: each has its own schema, or in apiextensions.k8s.io/v1beta1 shares
// spec.validation. A value of the wrong kind counts as a schema: its reader reports the problem.
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

// definedKind returns the kind that a CRD's spec defines.
func definedKind(spec *yaml.Node) groupKind {
	return groupKind{yamlnode.Text(yamlnode.Field(spec, "group")), yamlnode.Text(yamlnode.Lookup(spec, "names", "kind"))}
}

// versionSchema returns the schema of one version, and its path.
func versionSchema(v *yaml.Node, path string) (*yaml.Node, string) {
	if outer := yamlnode.Field(v, "schema"); outer != nil && outer.Kind != yaml.MappingNode {
		return outer, path
	}
	return yamlnode.Lookup(v, "schema", "openAPIV3Schema"), path + ".openAPIV3Schema"
}

// maxSchemaNodes limits the size of a CRD's schema, with its aliases resolved: more than any known schema has.
const maxSchemaNodes = 200_000

// crdReader reads structural schemas. A part that it cannot read is a problem, and has no type.
type crdReader struct {
	column     Column
	objectMeta *Type // of embedded resources
	budget     int
	problems   []Warning
}

func (r *crdReader) problem(path, format string, args ...any) {
	r.problems = append(r.problems, Warning{Path: path, Text: fmt.Sprintf(format, args...)})
}

// read returns the type of a value, nil if the schema cannot be read. With a schema that allows a null, or any value, a
// null is a value (rules/fields: null).
func (r *crdReader) read(schema *yaml.Node, path string) *Type {
	t := r.typeOf(schema, path)
	if t != nil && r.column == Merging && !enabled(schema, "nullable") && !enabled(schema, "x-kubernetes-preserve-unknown-fields") {
		t.Described = Itself
	}
	if t != nil && r.column == Structured && enabled(schema, "nullable") {
		nullable := *t // which may be shared
		nullable.Nullable = true
		return &nullable
	}
	return t
}

// typeOf is read without Described.
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

// texts returns the type of the values of a map of strings, nil for any other values, and in Merging.
func (r *crdReader) texts(values *yaml.Node) *Type {
	if r.column == Merging || yamlnode.Text(yamlnode.Field(values, "type")) != "string" {
		return nil
	}
	return &Type{Scalar: String}
}

// quantityPattern is the pattern of quantities in the CRDs of controller-gen.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// object reads the fields of an object, or the values of a map.
func (r *crdReader) object(schema *yaml.Node, path string) *Type {
	t := &Type{}
	if properties := yamlnode.Field(schema, "properties"); properties != nil {
		if properties.Kind != yaml.MappingNode {
			r.problem(path+".properties", "want a map of fields")
			return nil
		}
		t.Fields = r.fields(properties, path+".properties.")
		if r.column == Merging {
			t.Unions = unionsOf(schema)
		}
	}
	if values := yamlnode.Field(schema, "additionalProperties"); values != nil && values.Kind == yaml.MappingNode {
		t.Strings = r.column == Merging && len(t.Fields) == 0 && yamlnode.Text(yamlnode.Field(values, "type")) == "string"
		if t.Elem = r.texts(values); t.Elem == nil {
			t.Elem = r.read(values, path+".additionalProperties")
		}
		if r.column == Structured && t.Elem != nil {
			t.Elem.NoNull = !enabled(values, "nullable")
			t.Elem.Nullable = !t.Elem.NoNull
		}
	}
	if r.column == Structured && t.Elem == nil && enabled(schema, "x-kubernetes-preserve-unknown-fields") {
		// The value may be anything: if it is a map, its values may be anything too. Unlike a struct, a map has an Elem.
		t.Elem = &Type{}
		t.Elem.Elem = t.Elem
	}
	return t
}

// isContainerImage reports whether a struct's field image holds a container image: a string beside an imagePullPolicy.
func isContainerImage(properties *yaml.Node) bool {
	return yamlnode.Field(properties, "imagePullPolicy") != nil && yamlnode.Text(yamlnode.Lookup(properties, "image", "type")) == "string"
}

// fields reads the fields of an object. prefix is the path above a field's name.
func (r *crdReader) fields(properties *yaml.Node, prefix string) map[string]*Type {
	fields := make(map[string]*Type, len(properties.Content)/2)
	for key, property := range yamlnode.Pairs(properties) {
		fields[key.Value] = r.read(yamlnode.Resolve(property), prefix+key.Value)
	}
	if r.column == Merging && isContainerImage(properties) {
		fields["image"] = &Type{Scalar: Image}
	}
	return fields
}

// list reads a list. Without a list type its relation is unknown in Merging, and its elements have a type all the same,
// for keys from elsewhere. It is a whole value in Structured, and so is every list in StrategicMerge.
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

// keys reads a list's keys with their defaults, none if the elements lack a key.
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

// scalarDefault returns the default of a key field, nil if it has none.
func scalarDefault(property *yaml.Node) any {
	n := yamlnode.Field(property, "default")
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil
	}
	return v
}

func enabled(schema *yaml.Node, name string) bool {
	return yamlnode.Text(yamlnode.Field(schema, name)) == "true"
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// document is a schema of structured-merge-diff, without the parts that no table needs.
type document struct {
	Types []*definition `yaml:"types"`
}

// definition is a named type.
type definition struct {
	Name   string   `yaml:"name"`
	Scalar string   `yaml:"scalar"` // also of a value that may be anything
	Map    *mapping `yaml:"map"`
}

// reference is the type of a field, an element or a map's value: a named type, possibly with another relationship, or
// an inline type.
type reference struct {
	NamedType    string   `yaml:"namedType"`
	Relationship string   `yaml:"elementRelationship"`
	Scalar       string   `yaml:"scalar"`
	Map          *mapping `yaml:"map"`
	List         *list    `yaml:"list"`
}

// mapping is a struct, which has fields, or a map, which has an element type.
type mapping struct {
	Fields       []field    `yaml:"fields"`
	ElementType  *reference `yaml:"elementType"`
	Relationship string     `yaml:"elementRelationship"`
	Unions       []union    `yaml:"unions"`
}

type field struct {
	Name    string    `yaml:"name"`
	Type    reference `yaml:"type"`
	Default any       `yaml:"default"`
}

type list struct {
	ElementType  reference `yaml:"elementType"`
	Relationship string    `yaml:"elementRelationship"`
	Keys         []string  `yaml:"keys"`
}

type union struct {
	Discriminator string   `yaml:"discriminator"`
	Fields        []member `yaml:"fields"`
}

type member struct {
	Name string `yaml:"fieldName"`
}

// structure returns the struct of that name.
func (d *document) structure(name string) (*mapping, error) {
	for _, def := range d.Types {
		if def.Name == name && def.Map != nil {
			return def.Map, nil
		}
	}
	return nil, fmt.Errorf("the schema has no struct %s", name)
}

// field returns the field of that name, nil if there is none.
func (m *mapping) field(name string) *field {
	i := slices.IndexFunc(m.Fields, func(f field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Fields[i]
}

// fields returns the fields of a struct, none of any other type.
func (d *definition) fields() []field {
	if d.Map == nil {
		return nil
	}
	return d.Map.Fields
}

// structName returns the name of the type of a field, or of the elements of its list.
func (r reference) structName() string {
	if r.List != nil {
		return r.List.ElementType.NamedType
	}
	return r.NamedType
}

// kind is a root of the graph.
type kind struct {
	group, kind, version string
	name                 string // of the type
	cluster              bool   // belongs to no namespace
}

// kinds returns the kinds among the types: structs with apiVersion, kind and metadata, by group, kind, and newest
// version first.
func (d *document) kinds() ([]kind, error) {
	var kinds []kind
	for _, def := range d.Types {
		if m := def.Map; m == nil || m.field("apiVersion") == nil || m.field("kind") == nil || m.field("metadata") == nil {
			continue
		}
		k, err := newKind(def.Name)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, compareKinds)
	return kinds, nil
}

// newKind parses the name of a type, such as io.k8s.api.apps.v1.Deployment.
func newKind(name string) (kind, error) {
	parts := strings.Split(strings.TrimPrefix(name, apiPrefix), ".")
	if len(parts) != 3 {
		return kind{}, fmt.Errorf("kind %s is not named by package, version and kind", name)
	}
	group, ok := groupOf(parts[0])
	if !ok {
		return kind{}, fmt.Errorf("kind %s is in a package whose group is not known", name)
	}
	return kind{group: group, version: parts[1], kind: parts[2], name: name}, nil
}

// apiPrefix begins the names of the types of k8s.io/api.
const apiPrefix = "io.k8s.api."

// groupOf returns the API group of a package of k8s.io/api.
func groupOf(pkg string) (string, bool) {
	switch pkg {
	case "core":
		return "", true
	case "apps", "autoscaling", "batch", "extensions", "policy":
		return pkg, true
	case "admissionregistration", "certificates", "coordination", "discovery", "events", "imagepolicy",
		"lifecycle", "networking", "node", "resource", "scheduling", "storage", "storagemigration":
		return pkg + ".k8s.io", true
	case "apiserverinternal":
		return "internal.apiserver.k8s.io", true
	case "flowcontrol":
		return "flowcontrol.apiserver.k8s.io", true
	case "rbac":
		return "rbac.authorization.k8s.io", true
	}
	return "", false
}

func compareKinds(a, b kind) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind), -schema.CompareVersions(a.version, b.version))
}

package main

import (
	"fmt"
	"slices"
)

// document is the schema as structured-merge-diff defines it, as far as the
// table needs it.
type document struct {
	Types []*definition `yaml:"types"`
}

// definition is a named type.
type definition struct {
	Name   string   `yaml:"name"`
	Scalar string   `yaml:"scalar"` // also of a value that may be anything
	Map    *mapping `yaml:"map"`
}

// reference is the type of a field, an element or a map's value: a named type,
// whose relationship it may replace, or one written out.
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

// structName returns the name of the named type that a field has, or has a list
// of.
func (r reference) structName() string {
	if r.List != nil {
		return r.List.ElementType.NamedType
	}
	return r.NamedType
}

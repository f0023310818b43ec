package kinddraw

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schema is a schema as structured-merge-diff writes it in YAML. The types below have the names
// that they have there.
type Schema struct {
	Types []TypeDef `yaml:"types,omitempty"`

	named map[string]Atom
}

// TypeDef is a type with a name.
type TypeDef struct {
	Name string `yaml:"name,omitempty"`
	Atom `yaml:",inline"`
}

// TypeRef refers to a type by its name, or has it.
type TypeRef struct {
	NamedType           *string              `yaml:"namedType,omitempty"`
	Inlined             Atom                 `yaml:",inline"`
	ElementRelationship *ElementRelationship `yaml:"elementRelationship,omitempty"`
	Nullable            bool                 `yaml:"nullable,omitempty"`
}

// Atom is a type: the forms that its values may have.
type Atom struct {
	Scalar *Scalar `yaml:"scalar,omitempty"`
	List   *List   `yaml:"list,omitempty"`
	Map    *Map    `yaml:"map,omitempty"`
}

// Scalar is a kind of scalar.
type Scalar string

// The kinds of scalars. Untyped is a number or a string.
const (
	Numeric Scalar = "numeric"
	String  Scalar = "string"
	Boolean Scalar = "boolean"
	Untyped Scalar = "untyped"
)

// ElementRelationship tells how a list or map merges.
type ElementRelationship string

// The relationships: of lists with keys and sets, of values that are decided whole, and of maps
// whose fields merge.
const (
	Associative ElementRelationship = "associative"
	Atomic      ElementRelationship = "atomic"
	Separable   ElementRelationship = "separable"
)

// Map is a struct with fields, or a map whose values are of one type.
type Map struct {
	Fields              []StructField       `yaml:"fields,omitempty"`
	Unions              []any               `yaml:"unions,omitempty"`
	ElementType         TypeRef             `yaml:"elementType,omitempty"`
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`
}

// StructField is a field of a struct.
type StructField struct {
	Name    string  `yaml:"name,omitempty"`
	Type    TypeRef `yaml:"type,omitempty"`
	Default any     `yaml:"default,omitempty"`
}

// List is a list, with the fields of its elements that are their keys.
type List struct {
	ElementType         TypeRef             `yaml:"elementType,omitempty"`
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`
	Keys                []string            `yaml:"keys,omitempty"`
}

// Parse reads a schema. What these types cannot hold is an error.
func Parse(text []byte) (*Schema, error) {
	s := &Schema{named: map[string]Atom{}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	for _, def := range s.Types {
		s.named[def.Name] = def.Atom
	}
	return s, nil
}

// Resolve returns the type that a reference means, with the relationship that the reference
// asks for.
func (s *Schema) Resolve(ref TypeRef) (Atom, bool) {
	atom := ref.Inlined
	if ref.NamedType != nil {
		var known bool
		if atom, known = s.named[*ref.NamedType]; !known {
			return Atom{}, false
		}
	}
	switch {
	case ref.ElementRelationship == nil:
	case atom.Map != nil:
		m := *atom.Map
		m.ElementRelationship = *ref.ElementRelationship
		atom.Map = &m
	case atom.List != nil:
		l := *atom.List
		l.ElementRelationship = *ref.ElementRelationship
		atom.List = &l
	default:
		return Atom{}, false
	}
	return atom, true
}

// FindField finds a field by its name.
func (m *Map) FindField(name string) (StructField, bool) {
	for _, f := range m.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return StructField{}, false
}

// mergeSelectorsByKey changes the schema where rules/schemas: built-in kinds departs from it:
// LabelSelector and the maps nodeSelector and selector are not atomic.
func (s *Schema) mergeSelectorsByKey() {
	for _, def := range s.Types {
		if def.Map == nil {
			continue
		}
		if strings.HasSuffix(def.Name, ".meta.v1.LabelSelector") {
			def.Map.ElementRelationship = Separable
		}
		for _, f := range def.Map.Fields {
			if m := f.Type.Inlined.Map; m != nil && (f.Name == "selector" || f.Name == "nodeSelector") {
				m.ElementRelationship = Separable
			}
		}
	}
}

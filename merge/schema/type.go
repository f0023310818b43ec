package schema

import "maps"

// Relation is the way in which the values of a type merge.
type Relation int

const (
	Granular  Relation = iota // a map, merged key by key (rules/fields: maps)
	Atomic                    // a map or list, decided whole (rules/fields: whole values)
	ListMap                   // a list whose elements have keys (rules/lists: keyed lists)
	Set                       // a list without order, whose elements are their own keys (rules/lists: sets)
	Functions                 // a list of functions of a Kptfile, paired by name, image or program (rules/kptfiles: pipelines)
	Resources                 // a list of resources, paired by identity (rules/schemas: tables of other kinds)
)

// Key is one field of the key of a list's elements (rules/schemas: where keys come from).
type Key struct {
	Name    string // the field; from the function config also a dotted path (metadata.name)
	Default any    // the decoded value (string, int, bool, float64) of an absent field, nil if there is none
}

// Union is a group of fields of one struct that exclude each other (rules/unions: switches). A change of the
// discriminator is a switch like a change of the members; a union with a discriminator may have a single member.
// Companions are fields that mean nothing without their member, and go with it.
type Union struct {
	Members       []string
	Companions    []string
	Discriminator string
}

// StepUnion returns the union of a step of a workflow: it uses an action, with inputs, or it runs a command in a shell.
func StepUnion() Union {
	return Union{Members: []string{"uses", "run"}, Companions: []string{"with", "shell", "working-directory"}}
}

// Scalar is the meaning of a scalar, where it decides how the scalar compares or merges.
type Scalar int

const (
	Opaque   Scalar = iota // compared by its decoded value (rules/fields: equality)
	Quantity               // compared by the amount: 1000m is "1"
	Image                  // a container image: its name and its tag or digest merge separately (rules/fields: images)
	String                 // a value of a map of strings, which takes nothing else (rules/apply: refused objects); not in Merging
)

// Described is the extent to which a schema describes a value. In a described value a null removes a field
// (rules/fields: null).
type Described int

const (
	Nothing Described = iota // lists and keys at most, as in the tables of custom resources
	Itself                   // the value, and the parts with a Type that is described
	All                      // the value and all parts, also those without a Type
)

// ImageFields are the fields of a struct that is a container image: its name with the registry, and its tag with the
// digest (rules/fields: images). Key is the field with the name of an image without Name, "" if there is none.
type ImageFields struct {
	Name, Tag []string
	Key       string
}

// Type describes how a value merges, with its fields, elements or map values. A nil *Type is an unknown value. Types
// are shared: they are only read.
type Type struct {
	Relation Relation
	Keys     []Key            // of a ListMap list's elements
	Fields   map[string]*Type // of a struct
	Elem     *Type            // of a list's elements or a map's values
	Unions   []Union          // of a struct
	Names    []string         // the names of all fields, of a struct with other fields in another version of its kind
	Image    *ImageFields     // of a struct that is a container image in several fields
	Apart    []string         // fields of a struct: maps that share no keys (rules/unions: union structs)
	Embedded bool             // a resource, with an apiVersion and kind of its own
	Strings  bool             // a map of strings, such as labels, in the column Merging (rules/fields: deleted maps)
	Scalar   Scalar           // of a scalar
	// Described is set in the column Merging only.
	Described Described
	// NoNull, of a value of a custom resource's map in the column Structured: the CRD allows no null there, and the
	// server does not drop one (rules/server-side-apply: null).
	NoNull bool
	// Nullable, of a value of a custom resource in the column Structured: the CRD allows a null there, and the server stores it.
	Nullable bool
	// OmitsEmpty, of a map or keyed list of a built-in kind in the column Structured: the server does not store an
	// empty one (rules/server-side-apply: keys of lists).
	OmitsEmpty bool
	// RetainKeys, of a struct in the column StrategicMerge: an apply that changes it removes fields that config lacks
	// (rules/apply: structs that retain their keys).
	RetainKeys bool
}

// IsAnything reports whether a CRD allows any value, with any content.
func (t *Type) IsAnything() bool { return t != nil && t.Elem == t }

// Field returns the type of a struct's field or of a map's values, nil if it is unknown. A list or an atomic value has
// no fields.
func (t *Type) Field(name string) *Type {
	if t == nil || t.Relation != Granular {
		return nil
	}
	return t.Part(name)
}

// Part is Field, also of an atomic value, whose parts are compared.
func (t *Type) Part(name string) *Type {
	if t == nil || t.Relation != Granular && t.Relation != Atomic {
		return nil
	}
	if field, ok := t.Fields[name]; ok {
		return field
	}
	return t.Elem
}

// Element returns the type of a list's elements, nil if it is unknown.
func (t *Type) Element() *Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// Describes returns the extent to which a schema describes a value of the type: Nothing for nil.
func (t *Type) Describes() Described {
	if t == nil {
		return Nothing
	}
	return t.Described
}

// isPlain reports whether a type has no answer: its value merges as an unknown one.
func (t *Type) isPlain() bool {
	return t.Relation == Granular && t.Scalar == Opaque && t.Image == nil && !t.Embedded && !t.Strings && !t.RetainKeys &&
		len(t.Unions) == 0 && len(t.Names) == 0 && len(t.Fields) == 0 && t.Elem == nil
}

// Rule gives a list its keys, before every schema (rules/schemas: configured keys).
type Rule struct {
	Group, Kind string
	// Path leads from the resource to the list: field names, and AnyElement for the elements of a list.
	Path []string
	Keys []Key
}

// AnyElement is the step of a rule's path to a list's elements.
const AnyElement = "*"

// copies are the types that were copied for the rules of a kind, and may be changed.
type copies map[*Type]bool

// of returns a copy of a type, or the type itself if it is a copy.
func (own copies) of(t *Type) *Type {
	if t != nil && own[t] {
		return t
	}
	out := Type{}
	if t != nil {
		out = *t
		out.Fields = maps.Clone(t.Fields)
	}
	own[&out] = true
	return &out
}

// below returns a type with the rule's keys at a path. The shared types on the path are copied, once for all rules of a
// kind.
func (r Rule) below(t *Type, path []string, own copies) *Type {
	if len(path) == 0 {
		return &Type{Relation: ListMap, Keys: r.Keys, Elem: t.Element(), Described: t.Describes()}
	}
	out := own.of(t)
	if path[0] == AnyElement {
		out.Elem = r.below(t.Element(), path[1:], own)
		return out
	}
	field := t.Field(path[0])
	if field != nil && out.Fields[path[0]] != field { // the type of all values of a map
		shared := *field
		field = &shared
	}
	out.setField(path[0], r.below(field, path[1:], own))
	return out
}

// withField returns a copy of t in which a field has another type.
func (t *Type) withField(name string, field *Type) *Type {
	out := copies{}.of(t)
	out.setField(name, field)
	return out
}

// setField gives a field another type. An atomic value becomes granular, as its fields would be ignored.
func (t *Type) setField(name string, field *Type) {
	t.Relation = Granular
	if t.Fields == nil {
		t.Fields = map[string]*Type{}
	}
	t.Fields[name] = field
}

package schema

import "maps"

// Relation says how the values of a type merge.
type Relation int

const (
	Granular Relation = iota // a map, merged key by key (rules/fields: maps)
	Atomic                   // a map or list, decided whole (rules/fields: whole values)
	ListMap                  // a list whose elements have keys (rules/lists: keyed lists)
	Set                      // a list without order, whose elements are their own keys (rules/lists: sets)
	// a list of functions of a Kptfile, paired by what they run (rules/kptfiles: pipelines)
	Functions
	// a list of resources, told apart by who they are (rules/schemas: tables of other kinds)
	Resources
)

// Key is one field of the key of a list's elements (rules/schemas: where keys come
// from).
type Key struct {
	Name    string // the field; from the function config also a dotted path (metadata.name)
	Default any    // the decoded value (string, int, bool, float64) an absent field has; nil: none
}

// Union is a group of fields of one struct that exclude each other (rules/unions:
// switches). A change of the discriminator, where there is one, is a switch as much as
// a change of the members that are set; a union with a discriminator may have a single
// member.
type Union struct {
	Members       []string
	Discriminator string
}

// Scalar says what a scalar stands for, where that decides how it compares or
// merges.
type Scalar int

const (
	Opaque   Scalar = iota // compared by its decoded value (rules/fields: equality)
	Quantity               // compared by the amount: 1000m is "1"
	// a container image: its name and its tag or digest merge apart (rules/fields: images)
	Image
	// a value of a map of strings, which takes nothing else (rules/apply: refused objects); not
	// said by Merging
	String
)

// Described says how much of a value a schema describes: where it does, a null removes a
// field (rules/fields: null).
type Described int

const (
	Nothing Described = iota // lists and keys at most, as the tables of custom resources have them
	Itself                   // the value, and of what is in it the parts that have a Type of which this is said
	All                      // the value and all that is in it, whether it has a Type or not
)

// ImageFields are the fields of a struct that are a container image: its name with the registry,
// and its tag with the digest (rules/fields: images). Key, where there is one, has the name that
// an image has without Name.
type ImageFields struct {
	Name, Tag []string
	Key       string
}

// Type says how a value merges, and so do its fields, elements or map values.
// A nil *Type means that no schema knows the value. Types are shared: they are
// only read.
type Type struct {
	Relation Relation
	Keys     []Key            // of a ListMap list's elements
	Fields   map[string]*Type // of a struct
	Elem     *Type            // of a list's elements or a map's values
	Unions   []Union          // of a struct
	Names    []string         // of a struct that has other fields in another version of its kind: the names of all
	Image    *ImageFields     // of a struct that is a container image in several fields
	// of a struct: maps of which no two have a key in common (rules/unions: union structs)
	Apart    []string
	Embedded bool   // a resource: its own apiVersion and kind say its type
	Scalar   Scalar // of a scalar
	// Described is said by the column Merging only.
	Described Described
	// NoNull, of a value of a custom resource's map in the column Structured: the CRD allows
	// no null there, and the server does not drop one (rules/server-side-apply: null).
	NoNull bool
	// OmitsEmpty, of a map or keyed list of a built-in kind in the column Structured: the
	// server does not store an empty one (rules/server-side-apply: keys of lists).
	OmitsEmpty bool
	// RetainKeys, of a struct in the column of strategic merge: an apply that changes it
	// leaves it no other fields than config's (rules/apply: structs that retain their
	// keys).
	RetainKeys bool
}

// Field returns the type of the named field of a struct or of the values of a
// map, nil if the schema says nothing about it. What lies below an atomic
// value or a list has no fields.
func (t *Type) Field(name string) *Type {
	if t == nil || t.Relation != Granular {
		return nil
	}
	if field, ok := t.Fields[name]; ok {
		return field
	}
	return t.Elem
}

// Part is Field, also within what is decided whole: how the parts of an atomic
// value compare.
func (t *Type) Part(name string) *Type {
	if t == nil || t.Relation != Granular && t.Relation != Atomic {
		return nil
	}
	if field, ok := t.Fields[name]; ok {
		return field
	}
	return t.Elem
}

// Element returns the type of a list's elements, nil if the schema says
// nothing about it.
func (t *Type) Element() *Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// Describes returns how much of a value a schema describes: nothing of one that has no type.
func (t *Type) Describes() Described {
	if t == nil {
		return Nothing
	}
	return t.Described
}

// isPlain reports whether a type says nothing: its value merges as one of which
// no schema knows.
func (t *Type) isPlain() bool {
	return t.Relation == Granular && t.Scalar == Opaque && t.Image == nil && !t.Embedded && !t.RetainKeys &&
		len(t.Unions) == 0 && len(t.Names) == 0 && len(t.Fields) == 0 && t.Elem == nil
}

// Rule gives a list that no schema describes its keys (rules/schemas: configured keys).
// It beats every schema.
type Rule struct {
	Group, Kind string
	// Path leads from the resource to the list: field names, and "*" for the
	// elements of a list.
	Path []string
	Keys []Key
}

// AnyElement is the step of a rule's path that stands for a list's elements.
const AnyElement = "*"

// copies are the types that were copied for the rules of a kind, and may be altered.
type copies map[*Type]bool

// of is a type that may be altered: a copy, but of a copy.
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

// apply returns a type with the rule's list keyed. Types are shared, so those
// on the way to it are copied, once for all rules of a kind.
func (r Rule) apply(t *Type, own copies) *Type { return r.below(t, r.Path, own) }

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
	if field != nil && out.Fields[path[0]] != field { // it is that of all fields
		shared := *field
		field = &shared
	}
	out.setField(path[0], r.below(field, path[1:], own))
	return out
}

// withField is a copy of t in which a field has another type.
func (t *Type) withField(name string, field *Type) *Type {
	out := copies{}.of(t)
	out.setField(name, field)
	return out
}

// setField gives a field another type. What was decided whole is not any more, or the field
// would never be asked for.
func (t *Type) setField(name string, field *Type) {
	t.Relation = Granular
	if t.Fields == nil {
		t.Fields = map[string]*Type{}
	}
	t.Fields[name] = field
}

package schema

import "maps"

// Rule gives a list that no schema describes its keys (design 4, step 1). It beats
// every schema.
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

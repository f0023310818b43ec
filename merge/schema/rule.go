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

// apply returns a type with the rule's list keyed. Types are shared, so those
// on the way to it are copied.
func (r Rule) apply(t *Type) *Type { return r.below(t, r.Path) }

func (r Rule) below(t *Type, path []string) *Type {
	if len(path) == 0 {
		return &Type{Relation: ListMap, Keys: r.Keys, Elem: t.Element()}
	}
	if path[0] != AnyElement {
		return t.withField(path[0], r.below(t.Field(path[0]), path[1:]))
	}
	out := Type{}
	if t != nil {
		out = *t
	}
	out.Elem = r.below(t.Element(), path[1:])
	return &out
}

// withField is a copy of t in which a field has another type. What was decided
// whole is not any more, or the field would never be asked for.
func (t *Type) withField(name string, field *Type) *Type {
	out := Type{}
	if t != nil {
		out = *t
	}
	out.Relation = Granular
	out.Fields = maps.Clone(out.Fields)
	if out.Fields == nil {
		out.Fields = map[string]*Type{}
	}
	out.Fields[name] = field
	return &out
}

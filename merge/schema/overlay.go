package schema

import (
	"cmp"
	"maps"
)

// overlay is base with the answers of top, which come first: a relation with
// its keys, unions, what a scalar stands for. Types lead to themselves in no
// more than one of the two.
func overlay(top, base *Type) *Type {
	if top == nil || base == nil {
		return cmp.Or(top, base)
	}
	out := *top
	if top.Relation == Granular {
		out.Relation, out.Keys = base.Relation, base.Keys
	}
	if len(top.Unions) == 0 {
		out.Unions = base.Unions
	}
	if top.Scalar == Opaque {
		out.Scalar = base.Scalar
	}
	out.Described = max(top.Described, base.Described)
	out.Elem = overlay(top.Elem, base.Elem)
	out.Fields = maps.Clone(base.Fields)
	for name, field := range top.Fields {
		if out.Fields == nil {
			out.Fields = make(map[string]*Type, len(top.Fields))
		}
		out.Fields[name] = overlay(field, base.Fields[name])
	}
	return &out
}

// withApart is t with maps of which no two may have a key in common.
func withApart(t *Type, names ...string) *Type {
	out := *t
	out.Apart = names
	return &out
}

// withObjectMeta is t with the metadata that every resource has.
func withObjectMeta(t, meta *Type) *Type {
	if t.Field("metadata") == meta {
		return t
	}
	return t.withField("metadata", meta)
}

package schema

import (
	"cmp"
	"maps"
)

// PodTemplate returns the type of a struct that has the shape of a
// PodTemplateSpec (DESIGN 3.7), where t is what the kind says of it: Kubernetes'
// type where t has no answer, and t's answers where it has one. ok is false for
// the kinds of which everything is known.
//
// Below such a struct no keys are inferred: a list of a Pod that is not keyed is
// atomic.
func (r Resource) PodTemplate(t *Type) (typ *Type, ok bool) {
	if r.schema == nil || !r.partial {
		return nil, false
	}
	return r.schema.podTemplate(t), true
}

// podTemplate returns the same type each time it is asked for the same one.
func (s *Schema) podTemplate(t *Type) *Type {
	s.making.Lock()
	defer s.making.Unlock()
	made, found := s.templates[t]
	if !found {
		pod, _ := s.table.Lookup("", "v1", "PodTemplate")
		made = overlay(t, pod.Field("template"))
		s.templates[t] = made
	}
	return made
}

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

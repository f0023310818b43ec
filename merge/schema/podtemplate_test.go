package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPodTemplateOfUnknownKind(t *testing.T) {
	s := New(nil, nil, true)
	pod, ok := s.Resource("example.com", "v1", "Fleet").PodTemplate(nil)
	deployment := below(s.Resource("apps", "v1", "Deployment").Type, "spec.template")
	if !ok || pod != deployment {
		t.Errorf("got %+v, %t, want a Deployment's template", pod, ok)
	}
}

func TestPodTemplateOfKnownKind(t *testing.T) {
	s := New(nil, nil, true)
	for _, kind := range []string{"Deployment", "ReplicaSet"} {
		if pod, ok := s.Resource("apps", "v1", kind).PodTemplate(nil); ok {
			t.Errorf("%s: %+v", kind, pod)
		}
	}
	if pod, ok := (Resource{}).PodTemplate(nil); ok {
		t.Errorf("no kind: %+v", pod)
	}
}

func TestOverlay(t *testing.T) {
	byName, byPath := []Key{{Name: "name"}}, []Key{{Name: "path"}}
	union := []Union{{Members: []string{"a", "b"}}}
	base := &Type{
		Fields: map[string]*Type{
			"keyed":  {Relation: ListMap, Keys: byName, Elem: &Type{Unions: union}},
			"silent": {Relation: ListMap, Keys: byName, Elem: &Type{Unions: union}},
			"alone":  {Relation: Set},
			"amount": {Scalar: Quantity},
		},
	}
	top := &Type{
		Fields: map[string]*Type{
			"keyed":  {Relation: ListMap, Keys: byPath, Elem: &Type{}},
			"silent": {Elem: &Type{}},
			"own":    {Relation: Atomic},
			"amount": {},
		},
	}
	want := &Type{
		Fields: map[string]*Type{
			"keyed":  {Relation: ListMap, Keys: byPath, Elem: &Type{Unions: union}},
			"silent": {Relation: ListMap, Keys: byName, Elem: &Type{Unions: union}},
			"alone":  {Relation: Set},
			"own":    {Relation: Atomic},
			"amount": {Scalar: Quantity},
		},
	}
	if diff := cmp.Diff(want, overlay(top, base)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if overlay(nil, base) != base || overlay(top, nil) != top {
		t.Error("what nothing lies over is another type")
	}
}

package schema

import "testing"

func TestFieldOfStructBeforeMapValue(t *testing.T) {
	field, value := &Type{}, &Type{}
	both := &Type{Fields: map[string]*Type{"spec": field}, Elem: value}
	if both.Field("spec") != field {
		t.Error("a struct's field is not its own type")
	}
	if both.Field("other") != value {
		t.Error("a map's value is not the element type")
	}
}

func TestNilTypeHasNoParts(t *testing.T) {
	var unknown *Type
	if unknown.Field("spec") != nil || unknown.Element() != nil {
		t.Error("a value no schema knows has parts a schema knows")
	}
}

func TestListHasElementsAndNoFields(t *testing.T) {
	elem := &Type{}
	list := &Type{Relation: ListMap, Elem: elem}
	if list.Element() != elem {
		t.Error("a list's element is not the element type")
	}
	if list.Field("name") != nil {
		t.Error("a list has a field")
	}
}

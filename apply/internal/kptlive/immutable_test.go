package kptlive

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestImmutableFieldsExist looks each name in the rules of immutable fields up in the Go types of
// k8s.io/api.
func TestImmutableFieldsExist(t *testing.T) {
	column := schema.NewColumn(schema.StrategicMerge, nil)
	checked := 0
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != "v1" {
			continue
		}
		for _, rule := range admission.ImmutableRules(column.Resource(gvk.Group, gvk.Version, gvk.Kind)) {
			checked++
			paths := [][]string{rule.Path, rule.If.Path}
			for _, below := range rule.Except {
				paths = append(paths, append(append([]string{}, rule.Path...), below...))
			}
			for _, path := range paths {
				if !hasFields(goType, path) {
					t.Errorf("%s has no field %s", gvk.Kind, strings.Join(path, "."))
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d rules were checked", checked)
	}
}

// hasFields reports whether a Go type has a field at a path.
func hasFields(t reflect.Type, path []string) bool {
	for _, name := range path {
		t = indirect(t)
		if name == schema.AnyElement {
			t = t.Elem()
			continue
		}
		field, found := jsonFields(t)[name]
		if !found {
			return false
		}
		t = field
	}
	return true
}

// jsonFields returns the types of a struct's fields by their names in JSON.
func jsonFields(of reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous || strings.Contains(options, "inline") {
			maps.Copy(found, jsonFields(indirect(f.Type)))
		} else if name != "-" {
			found[name] = f.Type
		}
	}
	return found
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

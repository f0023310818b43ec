package report_test

import (
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/report"
)

// TestResultsAreTheFrameworks compares the fields of our results, and their names in YAML and
// JSON, with kyaml's framework.
func TestResultsAreTheFrameworks(t *testing.T) {
	ours, theirs := fieldsOf(reflect.TypeFor[report.Result](), ""), fieldsOf(reflect.TypeFor[framework.Result](), "")
	if len(ours) == 0 || !slices.Equal(ours, theirs) {
		t.Errorf("our fields are\n%v\nthe framework's\n%v", ours, theirs)
	}
}

// fieldsOf lists the fields of a struct and of the structs that it points to, with their tags.
func fieldsOf(s reflect.Type, above string) (names []string) {
	for _, f := range reflect.VisibleFields(s) {
		if f.Anonymous {
			continue
		}
		name := above + f.Name + " " + f.Tag.Get("yaml") + " " + f.Tag.Get("json") + " " + f.Type.Kind().String()
		names = append(names, name)
		if f.Type.Kind() == reflect.Pointer {
			names = append(names, fieldsOf(f.Type.Elem(), name+".")...)
		}
	}
	return names
}

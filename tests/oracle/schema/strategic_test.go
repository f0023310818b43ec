package schema_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestStrategicMergeAnswersAsApimachinery walks the Go type of every kind of the
// built-in table: apimachinery's strategic merge, which reads its struct tags,
// and the column StrategicMerge say the same of every path.
func TestStrategicMergeAnswersAsApimachinery(t *testing.T) {
	types, err := apiTypes()
	if err != nil {
		t.Fatal(err)
	}
	walk := strategicWalk{T: t, seen: map[strategicPair]bool{}, count: map[string]int{}}
	kinds := 0
	for gvk, goType := range types.AllKnownTypes() {
		if !schema.NewColumn(schema.StrategicMerge, nil).IsBuiltIn(gvk.Group, gvk.Kind) || gvk.Version == "__internal" {
			continue
		}
		kinds++
		path := gvk.Group + "/" + gvk.Version + "/" + gvk.Kind
		walk.fields(path, goType, schema.NewColumn(schema.StrategicMerge, nil).Resource(gvk.Group, gvk.Version, gvk.Kind).Type)
	}
	if kinds < 130 {
		t.Errorf("%d kinds were compared", kinds)
	}
	for answer, least := range map[string]int{
		"merge by": 50, "merge": 5, "merge,retainKeys by": 4, "retainKeys": 3, "replace": 1, "": 200,
	} {
		if walk.count[answer] < least {
			t.Errorf("%q is the answer %d times, want %d", answer, walk.count[answer], least)
		}
	}
}

// strategicWalk compares each struct of Go once with each type of the column.
type strategicWalk struct {
	*testing.T
	seen  map[strategicPair]bool
	count map[string]int
}

type strategicPair struct {
	goType reflect.Type
	typ    *schema.Type
}

func (w strategicWalk) fields(path string, goType reflect.Type, typ *schema.Type) {
	pair := strategicPair{goType, typ}
	if w.seen[pair] {
		return
	}
	w.seen[pair] = true
	meta := strategicpatch.PatchMetaFromStruct{T: goType}
	fields := jsonFields(goType)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := indirect(fields[name])
		if isPlainInJSON(field) {
			continue
		}
		_, tags, err := meta.LookupPatchMetadataForStruct(name)
		if err != nil {
			w.Fatalf("%s.%s: %v", path, name, err)
		}
		w.field(path+"."+name, field, typ.Field(name), tags)
	}
}

// field compares a field that is a struct, a map or a list.
func (w strategicWalk) field(path string, goType reflect.Type, typ *schema.Type, tags strategicpatch.PatchMeta) {
	said := strings.Join(tags.GetPatchStrategies(), ",")
	key := tags.GetPatchMergeKey()
	if key != "" {
		said += " by"
	}
	w.count[said]++
	var want schema.Type
	isList := goType.Kind() == reflect.Slice
	merges := slices.Contains(tags.GetPatchStrategies(), "merge")
	switch {
	case isList && merges && key != "":
		want.Relation, want.Keys = schema.ListMap, []schema.Key{{Name: key}}
	case isList && merges:
		want.Relation = schema.Set
	case isList && typ != nil, said == "replace":
		want.Relation = schema.Atomic
	}
	got := &schema.Type{}
	if typ != nil {
		got = typ
	}
	if got.Relation != want.Relation || !reflect.DeepEqual(got.Keys, want.Keys) {
		w.Errorf("%s is %d by %v, want %d by %v", path, got.Relation, got.Keys, want.Relation, want.Keys)
	}
	retaining := got
	if isList {
		goType, retaining = indirect(goType.Elem()), typ.Element()
	}
	if retains := slices.Contains(tags.GetPatchStrategies(), "retainKeys"); retains != (retaining != nil && retaining.RetainKeys) {
		w.Errorf("%s: keys are retained: %t", path, retains)
	}
	if goType.Kind() == reflect.Struct && !isPlainInJSON(goType) && want.Relation != schema.Atomic && !(isList && want.Relation == schema.Granular) {
		w.fields(path, goType, retaining)
	}
}

// jsonFields are the types of a struct's fields by their names in JSON.
func jsonFields(of reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && f.Anonymous || strings.Contains(options, "inline"):
			maps.Copy(found, jsonFields(indirect(f.Type)))
		default:
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

// isPlainInJSON reports whether a Go type is a scalar in JSON, or any value.
func isPlainInJSON(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]())
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8
	case reflect.Map:
		return false
	}
	return true
}

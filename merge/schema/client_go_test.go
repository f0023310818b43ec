package schema_test

import (
	"slices"
	"testing"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestTableAnswersAsClientGo walks every kind of client-go's schema and of the
// built-in table side by side: each list has the same keys in both, or is a set
// or atomic in both, and so is each struct or map; quantities are the same.
func TestTableAnswersAsClientGo(t *testing.T) {
	w := tableWalk{seen: map[typePair]bool{}}
	for _, kind := range kinddraw.Kinds(t, true) {
		w.Schema = kind.Schema
		w.walk(t, kind.String(), kind.Type, kind.Ours.Type)
	}
	for _, relation := range []schema.Relation{schema.Granular, schema.Atomic, schema.ListMap, schema.Set} {
		if w.count[relation] < 10 {
			t.Errorf("relation %d was compared %d times", relation, w.count[relation])
		}
	}
}

// TestStructuredColumnAnswersAsClientGo is TestTableAnswersAsClientGo for Structured: without an exception for
// selectors, with the defaults of keys, and with the maps of strings.
func TestStructuredColumnAnswersAsClientGo(t *testing.T) {
	w := tableWalk{seen: map[typePair]bool{}, structured: true}
	ours := schema.NewColumn(schema.Structured, nil)
	for _, kind := range kinddraw.Kinds(t, false) {
		w.Schema = kind.Schema
		w.walk(t, kind.String(), kind.Type, ours.Resource(identity.Group(kind.APIVersion), identity.Version(kind.APIVersion), kind.Name).Type)
	}
	for _, relation := range []schema.Relation{schema.Granular, schema.Atomic, schema.ListMap, schema.Set} {
		if w.count[relation] < 10 {
			t.Errorf("relation %d was compared %d times", relation, w.count[relation])
		}
	}
	if w.texts < 20 {
		t.Errorf("%d maps of strings were compared", w.texts)
	}
}

// tableWalk compares types, each pair of them once.
type tableWalk struct {
	*kinddraw.Schema
	structured bool
	texts      int // the number of compared maps of strings
	seen       map[typePair]bool
	count      [4]int
}

type typePair struct {
	theirs string
	ours   *schema.Type
}

func (w *tableWalk) walk(t *testing.T, path string, ref kinddraw.TypeRef, ours *schema.Type) {
	if ref.NamedType != nil {
		pair := typePair{*ref.NamedType, ours}
		if w.seen[pair] {
			return
		}
		w.seen[pair] = true
	}
	atom, ok := w.Resolve(ref)
	if !ok {
		t.Fatalf("%s: there is no such type", path)
	}
	relation, keys := theirRelation(atom)
	w.count[relation]++
	w.compare(t, path, relation, keys, ours)
	if ours == nil && relation == schema.Atomic && atom.Map != nil {
		t.Errorf("%s is atomic, and not in the table", path)
	}
	isQuantity := ref.NamedType != nil && *ref.NamedType == "io.k8s.apimachinery.pkg.api.resource.Quantity"
	if isQuantity != (ours != nil && ours.Scalar == schema.Quantity) {
		t.Errorf("%s: a quantity in the one, and not in the other", path)
	}
	if w.structured {
		w.compareTexts(t, path, atom, ours)
		w.compareDefaults(t, path, atom, ours)
	}
	switch {
	case relation == schema.ListMap:
		w.walk(t, path+"[]", atom.List.ElementType, ours.Element())
	case relation == schema.Granular && atom.Map != nil:
		for _, f := range atom.Map.Fields {
			w.walk(t, path+"."+f.Name, f.Type, ours.Field(f.Name))
		}
		if len(atom.Map.Fields) == 0 {
			w.walk(t, path+".*", atom.Map.ElementType, ours.Field("*"))
		}
	}
}

// theirRelation returns the relation of a type, and a list's keys. A value that may be anything counts as a map.
func theirRelation(atom kinddraw.Atom) (schema.Relation, []string) {
	switch {
	case atom.Map != nil && atom.Map.ElementRelationship == kinddraw.Atomic:
		return schema.Atomic, nil
	case atom.Map != nil || atom.List == nil:
		return schema.Granular, nil
	case atom.List.ElementRelationship != kinddraw.Associative:
		return schema.Atomic, nil
	case len(atom.List.Keys) == 0:
		return schema.Set, nil
	}
	return schema.ListMap, atom.List.Keys
}

// compare checks a type of the table. A type that the table lacks is an atomic list, or a value without any answer.
func (w *tableWalk) compare(t *testing.T, path string, relation schema.Relation, keys []string, ours *schema.Type) {
	t.Helper()
	if ours == nil {
		if relation == schema.ListMap || relation == schema.Set {
			t.Errorf("%s is not in the table", path)
		}
		return
	}
	var names []string
	for _, k := range ours.Keys {
		names = append(names, k.Name)
	}
	if ours.Relation != relation || !slices.Equal(names, keys) {
		t.Errorf("%s is %d by %v in the table, want %d by %v", path, ours.Relation, names, relation, keys)
	}
}

// compareTexts checks whether the table knows a map of strings.
func (w *tableWalk) compareTexts(t *testing.T, path string, atom kinddraw.Atom, ours *schema.Type) {
	t.Helper()
	theirs := atom.Map != nil && len(atom.Map.Fields) == 0 && atom.Map.ElementType.Inlined.Scalar != nil &&
		*atom.Map.ElementType.Inlined.Scalar == kinddraw.String
	known := ours.Element() != nil && ours.Element().Scalar == schema.String
	if theirs {
		w.texts++
	}
	if theirs != known {
		t.Errorf("%s is a map of strings: %t in the table, %t in client-go's schema", path, known, theirs)
	}
}

// compareDefaults checks the defaults of a list's keys.
func (w *tableWalk) compareDefaults(t *testing.T, path string, atom kinddraw.Atom, ours *schema.Type) {
	t.Helper()
	if ours == nil || ours.Relation != schema.ListMap {
		return
	}
	element, _ := w.Resolve(atom.List.ElementType)
	for _, key := range ours.Keys {
		field, found := element.Map.FindField(key.Name)
		want := field.Default
		if n, isInt := want.(int64); isInt {
			want = int(n)
		}
		if !found || key.Default != want {
			t.Errorf("%s: the key %s is %#v by default in the table, want %#v", path, key.Name, key.Default, want)
		}
	}
}

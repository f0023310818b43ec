package schema

// Column says whose semantics a schema has: the same kind has other keys and
// other whole values in each (design 4).
type Column int

const (
	// Merging is design 4's own.
	Merging Column = iota
	// StrategicMerge is client-side apply's (design 13.2): of built-in kinds the
	// struct tags of k8s.io/api say which lists have keys, one field each and
	// without a default; any other list is a whole value, and maps never are, but
	// where a tag replaces them. Of a custom resource every list is a whole value.
	StrategicMerge
	// Structured is server-side apply's (design 14): list types, map types and the
	// defaults of keys are as OpenAPI and the CRDs have them; a list without a
	// list type is a whole value.
	Structured
)

// patched is what strategic merge knows of a kind. A kind that no tag describes
// goes as JSON merge patch. The API server's extension servers take strategic
// patches all the same.
func (s *Schema) patched(id kindVersion) *Type {
	if t, known := s.table.Lookup(id.group, id.version, id.kind); known {
		return withObjectMeta(t, s.table.ObjectMeta())
	}
	switch id.groupKind() {
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}, groupKind{"apiregistration.k8s.io", "APIService"}:
		return withObjectMeta(nil, s.table.ObjectMeta())
	}
	texts := &Type{Elem: &Type{Scalar: String}}
	meta := &Type{Fields: map[string]*Type{"labels": texts, "annotations": texts}}
	return withObjectMeta(s.fromCRDs(id), meta)
}

// applied is what structured merge knows of a kind, nil if nothing but what it
// deduces from the values: maps merge by key, and lists are whole values.
func (s *Schema) applied(id kindVersion) *Type {
	if t := s.fromCRDs(id); t != nil {
		return t
	}
	if t, known := s.table.Lookup(id.group, id.version, id.kind); known {
		return t
	}
	t, _ := s.custom.Lookup(id.group, id.version, id.kind)
	return t
}

// typeOf is what a table says of a row, without what the row leads to.
func (t *Table) typeOf(row typeRow) *Type {
	typ := &Type{Relation: row.relation, Scalar: row.scalar, Embedded: row.embedded, Keys: row.keys, Unions: row.unions}
	if row.strings && t.column != Merging {
		typ.Elem = &Type{Scalar: String}
	}
	switch {
	case t.column == StrategicMerge:
		typ.strategic(row)
	case t.column == Structured && t.isCustom():
		typ.asCustom(t.objectMeta)
	case t.column == Merging && row.byKey:
		typ.Relation = Granular
	case t.column == Merging && !t.isCustom():
		typ.Keys = withoutZeroDefaults(row.keys)
	}
	return typ
}

// strategic gives a type what strategic merge says of its row.
func (t *Type) strategic(row typeRow) {
	t.Relation, t.Keys, t.RetainKeys = row.strategic, nil, row.retainKeys
	if row.mergeKey != "" {
		t.Keys = []Key{{Name: row.mergeKey}}
	}
}

// asCustom makes of a type what the API server knows of a custom resource: its
// quantities and images are texts as any other, and a resource within it has
// the fields that the CRD says and the metadata of every resource.
func (t *Type) asCustom(objectMeta *Type) {
	t.Scalar = Opaque
	if t.Embedded {
		t.Embedded = false
		t.Fields = map[string]*Type{"metadata": objectMeta}
	}
}

// withoutZeroDefaults is keys without the defaults that every required field
// has: an element without a name is for Merging an element without a key, not
// one named "" (design 4).
func withoutZeroDefaults(keys []Key) []Key {
	out := keys
	for i, k := range keys {
		if k.Default != "" && k.Default != 0 {
			continue
		}
		if &out[0] == &keys[0] {
			out = append([]Key{}, keys...)
		}
		out[i].Default = nil
	}
	return out
}

// isPlain reports whether a type says nothing: its value merges as one of which
// no schema knows.
func (t *Type) isPlain() bool {
	return t.Relation == Granular && t.Scalar == Opaque && !t.Embedded && !t.RetainKeys &&
		len(t.Unions) == 0 && len(t.Fields) == 0 && t.Elem == nil
}

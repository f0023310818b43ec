package schema

// Schema answers how the values of a resource merge, from all that is known
// about its kind (DESIGN 4). For sequential use.
type Schema struct {
	table *Table
	other *Type
}

// New returns a schema that knows the built-in kinds.
func New() *Schema {
	table := Kubernetes()
	return &Schema{table: table, other: &Type{Fields: map[string]*Type{"metadata": table.ObjectMeta()}}}
}

// Resource returns the type of a kind. Of a kind that nothing describes, the
// metadata is known all the same.
func (s *Schema) Resource(group, version, kind string) *Type {
	if t, known := s.table.Lookup(group, version, kind); known {
		return t
	}
	return s.other
}

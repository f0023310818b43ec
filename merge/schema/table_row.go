package schema

// kindRow is a kind of a table, the row of its type, and whether the kind
// belongs to no namespace.
type kindRow struct {
	group, kind, version string
	row                  uint16
	cluster              bool
}

// typeRow is a type of a table, in which rows stand for types. Row 0 is that
// of nil. It has what all columns say: relation and keys are the API server's.
type typeRow struct {
	relation   Relation
	strategic  Relation
	mergeKey   string // of a strategic ListMap
	byKey      bool   // decided whole by the API server, and not by Merging
	retainKeys bool
	scalar     Scalar
	strings    bool // a map of strings
	embedded   bool
	elem       uint16
	keys       []Key
	fields     []fieldRow
	unions     []Union
	names      []string // of all fields, where another version of the kind has others
}

// fieldRow is a field of a struct and the row of its type.
type fieldRow struct {
	name string
	row  uint16
}

// isCollection reports whether the row is a list with keys, a set, or a map whose keys are
// its user's.
func (row typeRow) isCollection() bool {
	plainMap := row.relation == Granular && row.elem != 0 && len(row.fields) == 0
	return row.strings || plainMap || row.relation == ListMap || row.relation == Set
}

// typeIn is what a column says of a row, without what the row leads to.
func (row typeRow) typeIn(column Column) *Type {
	t := &Type{Relation: row.relation, Scalar: row.scalar, Embedded: row.embedded, Keys: row.keys, Unions: row.unions}
	if row.strings && column != Merging {
		t.Elem = &Type{Scalar: String}
	}
	switch {
	case column == StrategicMerge:
		t.Relation, t.Keys, t.RetainKeys = row.strategic, nil, row.retainKeys
		if row.mergeKey != "" {
			t.Keys = []Key{{Name: row.mergeKey}}
		}
	case column == Merging && row.byKey:
		t.Relation = Granular
	}
	if column == Merging {
		t.Names = row.names
	}
	return t
}

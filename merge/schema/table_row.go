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
}

// fieldRow is a field of a struct and the row of its type.
type fieldRow struct {
	name string
	row  uint16
}

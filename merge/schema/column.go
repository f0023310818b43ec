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

package config

// fieldNames is what the user calls a field of the typed kind.
type fieldNames func(field string) string

// inTypedKind are the fields' own names.
func inTypedKind(field string) string { return field }

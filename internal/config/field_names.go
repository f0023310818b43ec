package config

// fieldNames is what the user calls a field of the typed kind.
type fieldNames func(field string) string

// inTypedKind are the fields' own names.
func inTypedKind(field string) string { return field }

// onCommandLine are the flags that stand for fields.
func onCommandLine(field string) string {
	switch field {
	case "strategy":
		return "--strategy"
	case "conflicts.prefer":
		return "--conflicts"
	case "adopt":
		return "--adopt"
	case "patches.form":
		return "--patches"
	case "patches.from":
		return "--patches-from"
	case "patches.precondition":
		return "--precondition"
	}
	return field
}

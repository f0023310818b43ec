package schema

type groupKind struct{ group, kind string }

type kindVersion struct{ group, kind, version string }

func (id kindVersion) groupKind() groupKind { return groupKind{id.group, id.kind} }

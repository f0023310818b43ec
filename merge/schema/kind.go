package schema

type groupKind struct{ group, kind string }

type kindVersion struct{ group, kind, version string }

func (id kindVersion) groupKind() groupKind { return groupKind{id.group, id.kind} }

// servedByExtension reports whether a kind is of the servers that Kubernetes' own API
// server is built of and has no row in its table.
func servedByExtension(id groupKind) bool {
	switch id {
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}, groupKind{"apiregistration.k8s.io", "APIService"}:
		return true
	}
	return false
}

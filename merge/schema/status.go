package schema

import (
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Scope says whether the resources of a kind are in namespaces. known is false for a kind
// that neither a CRD of the sides nor a table has.
func (s *Schema) Scope(group, kind string) (cluster, known bool) {
	if cluster := s.ClusterScoped(group, kind); cluster {
		return true, true
	}
	if s.IsBuiltIn(group, kind) || len(s.custom.versions(group, kind)) > 0 {
		return false, true
	}
	return false, s.crdOf(groupKind{group, kind}) != nil
}

// IsBuiltIn reports whether a kind is one of Kubernetes' own.
func (s *Schema) IsBuiltIn(group, kind string) bool { return len(s.table.versions(group, kind)) > 0 }

// HasStatus reports whether the status of a kind is not a part of what is applied: that
// is so for Kubernetes' own kinds, and for those whose CRD, of the sides, gives status a
// subresource in that version (design 13.1).
func (s *Schema) HasStatus(group, version, kind string) bool {
	spec := yamlnode.Field(s.crdOf(groupKind{group, kind}), "spec")
	if spec == nil {
		return s.IsBuiltIn(group, kind)
	}
	for _, v := range yamlnode.Elements(yamlnode.Field(spec, "versions")) {
		v = yamlnode.Resolve(v)
		if yamlnode.Text(yamlnode.Field(v, "name")) == version && yamlnode.Lookup(v, "subresources", "status") != nil {
			return true
		}
	}
	return yamlnode.Lookup(spec, "subresources", "status") != nil
}

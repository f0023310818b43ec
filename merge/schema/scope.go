package schema

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ClusterScoped reports whether resources of a kind belong to no namespace, so that one in their metadata is ignored
// (rules/identity: identities). The CRDs of the sides come first, then the tables. An unknown kind is namespaced.
func (s *Schema) ClusterScoped(group, kind string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := groupKind{group, kind}
	cluster, found := s.clusterScoped[id]
	if !found {
		if crd := s.crdOf(id); crd != nil {
			cluster = yamlnode.Text(yamlnode.Lookup(crd, "spec", "scope")) == "Cluster"
		} else {
			cluster = s.table.isClusterScoped(id) || s.custom.isClusterScoped(id) || slices.Contains(otherClusterScoped(), id)
		}
		s.clusterScoped[id] = cluster
	}
	return cluster
}

// IsClusterScoped is ClusterScoped of the schema of r.
func (r Resource) IsClusterScoped(group, kind string) bool {
	return r.schema != nil && r.schema.ClusterScoped(group, kind)
}

// crdOf returns the first CRD of the sides that defines a kind, nil if there is none.
func (s *Schema) crdOf(id groupKind) *yaml.Node {
	if s.table.isOwn(id) {
		return nil
	}
	for _, crd := range s.crds {
		if tree := crd.tree(); definedKind(yamlnode.Field(tree, "spec")) == id {
			return tree
		}
	}
	return nil
}

// otherClusterScoped lists the cluster-scoped kinds of Kubernetes that its table lacks: kinds of its extension servers,
// and former ones.
func otherClusterScoped() []groupKind {
	return []groupKind{
		{"apiextensions.k8s.io", "CustomResourceDefinition"},
		{"apiregistration.k8s.io", "APIService"},
		{"extensions", "PodSecurityPolicy"},
		{"policy", "PodSecurityPolicy"},
		{"auditregistration.k8s.io", "AuditSink"},
	}
}

// Scope reports whether a kind is cluster-scoped. known is false for a kind that neither a CRD of the sides nor a table
// has.
func (s *Schema) Scope(group, kind string) (cluster, known bool) {
	if s.ClusterScoped(group, kind) {
		return true, true
	}
	id := groupKind{group, kind}
	return false, s.IsBuiltIn(group, kind) || len(s.custom.versions(id)) > 0 || s.crdOf(id) != nil
}

// IsBuiltIn reports whether a kind is one of Kubernetes' own.
func (s *Schema) IsBuiltIn(group, kind string) bool {
	return len(s.table.versions(groupKind{group, kind})) > 0
}

// HasStatus reports whether the status of a kind cannot be applied: of Kubernetes' own kinds, and of a custom
// resource whose CRD, on any side, makes status a subresource in that version (rules/apply: fields of the server).
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

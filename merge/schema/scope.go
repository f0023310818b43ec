package schema

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ClusterScoped reports whether resources of a kind belong to no namespace, so that one
// in their metadata says nothing (rules/identity: identities). A CRD of the sides is
// asked first, then the tables. A kind that none of them has is namespaced.
func (s *Schema) ClusterScoped(group, kind string) bool {
	s.making.Lock()
	defer s.making.Unlock()
	id := groupKind{group, kind}
	cluster, found := s.scoped[id]
	if !found {
		cluster = s.clusterScoped(id)
		s.scoped[id] = cluster
	}
	return cluster
}

// IsClusterScoped reports whether resources of a kind that r is of, or that lies within r's,
// belong to no namespace, so that one in their metadata says nothing (rules/identity:
// identities).
func (r Resource) IsClusterScoped(group, kind string) bool {
	return r.schema != nil && r.schema.ClusterScoped(group, kind)
}

func (s *Schema) clusterScoped(id groupKind) bool {
	if crd := s.crdOf(id); crd != nil {
		return yamlnode.Text(yamlnode.Lookup(crd, "spec", "scope")) == "Cluster"
	}
	return s.table.ClusterScoped(id.group, id.kind) || s.custom.ClusterScoped(id.group, id.kind) || slices.Contains(otherClusterScoped(), id)
}

// crdOf is the first CRD of the sides that defines a kind, nil if there is none.
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

// ClusterScoped reports whether the table has the kind as one that belongs to
// no namespace.
func (t *Table) ClusterScoped(group, kind string) bool {
	versions := t.versions(group, kind)
	return len(versions) > 0 && versions[0].cluster
}

// otherClusterScoped lists the kinds of Kubernetes that belong to no namespace
// and are not in the built-in table: those of its extension servers, and those
// that it had once.
func otherClusterScoped() []groupKind {
	return []groupKind{
		{"apiextensions.k8s.io", "CustomResourceDefinition"},
		{"apiregistration.k8s.io", "APIService"},
		{"extensions", "PodSecurityPolicy"},
		{"policy", "PodSecurityPolicy"},
		{"auditregistration.k8s.io", "AuditSink"},
	}
}

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
// subresource in that version (rules/apply: fields of the server).
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

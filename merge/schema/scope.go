package schema

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ClusterScoped reports whether resources of a kind belong to no namespace, so
// that one in their metadata says nothing (design 2). A CRD of the sides is
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
// belong to no namespace, so that one in their metadata says nothing (design 2).
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

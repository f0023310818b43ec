package transform

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Metadata is an entry of kustomize's labels or commonAnnotations: a key that all resources have.
type Metadata struct {
	// Field is labels or annotations.
	Field, Key string
	Value      *yaml.Node
	// Templates reports that it is set in the templates of workloads too.
	Templates bool
	same      Same
}

// Same reports whether two values are equal to the merge. Either may be nil.
type Same func(a, b *yaml.Node) bool

// Pair is a base's version of a resource, nil if there is none, and a fork's.
type Pair struct{ Base, Fork *yaml.Node }

// Common returns the entries of a field that all resources of the fork have, and that are new in more than
// one, with templates and without.
func Common(field string, pairs []Pair, same Same) (out []Metadata) {
	all, changed, values := map[string]int{}, map[string]int{}, map[string]*yaml.Node{}
	var keys []string
	for _, p := range pairs {
		is, was := yamlnode.Lookup(p.Fork, "metadata", field), yamlnode.Lookup(p.Base, "metadata", field)
		now, before := yamlnode.Fields(is), yamlnode.Fields(was)
		for _, key := range yamlnode.Names(is) {
			v := now(key)
			if values[key] == nil {
				values[key] = v
				keys = append(keys, key)
			}
			if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && same(v, values[key]) {
				all[key]++
			}
			if p.Base != nil && !same(v, before(key)) {
				changed[key]++
			}
		}
	}
	templates := []bool{true}
	if field == "labels" { // kustomize always sets annotations in templates too
		templates = []bool{true, false}
	}
	for _, key := range keys {
		for _, inTemplates := range templates {
			if all[key] == len(pairs) && changed[key] > 1 {
				out = append(out, Metadata{field, key, values[key], inTemplates, same})
			}
		}
	}
	return out
}

// paths returns the paths in a resource where kustomize's transformer sets the key.
func (m Metadata) paths(n *yaml.Node) [][]string {
	paths := [][]string{{"metadata", m.Field}}
	t := yamlnode.MetaOf(n)
	switch kind, isBatch := t.Kind, t.Group() == "batch"; {
	case !m.Templates:
	case slices.Contains([]string{"Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"}, kind), kind == "Job" && isBatch,
		kind == "ReplicationController" && t.Version() == "v1":
		paths = append(paths, []string{"spec", "template", "metadata", m.Field})
	case kind == "CronJob" && isBatch:
		paths = append(paths, []string{"spec", "jobTemplate", "metadata", m.Field},
			[]string{"spec", "jobTemplate", "spec", "template", "metadata", m.Field})
	}
	return paths
}

// Apply sets the key in a resource.
func (m Metadata) Apply(n *yaml.Node) *yaml.Node {
	for _, path := range m.paths(n) {
		n = yamlnode.Set(n, nil, m.Value, append(path, m.Key)...)
	}
	if m.hasClaims(n) {
		n = yamlnode.Set(n, nil, yamlnode.Each(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"), func(c *yaml.Node) *yaml.Node {
			return yamlnode.Set(c, nil, m.Value, "metadata", m.Field, m.Key)
		}), "spec", "volumeClaimTemplates")
	}
	return n
}

// hasClaims reports whether kustomize sets labels in the claims of a resource too.
func (m Metadata) hasClaims(n *yaml.Node) bool {
	t := yamlnode.MetaOf(n)
	return m.Templates && m.Field == "labels" && t.Kind == "StatefulSet" && t.Group() == "apps" &&
		len(yamlnode.Elements(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"))) > 0
}

// Undo returns fork with base's values in the fields that the transformer sets.
func (m Metadata) Undo(fork, base *yaml.Node) *yaml.Node {
	for _, path := range m.paths(fork) {
		path = append(path, m.Key)
		if m.same(yamlnode.Lookup(fork, path...), m.Value) {
			fork = yamlnode.Set(fork, base, yamlnode.Lookup(base, path...), path...)
		}
	}
	if m.hasClaims(fork) {
		claims := yamlnode.Lookup(base, "spec", "volumeClaimTemplates")
		fork = visit(fork, []string{"spec", "volumeClaimTemplates"}, func(c *yaml.Node) *yaml.Node {
			was := m.claimOf(claims, c)
			return yamlnode.Set(c, was, yamlnode.Lookup(was, "metadata", m.Field, m.Key), "metadata", m.Field, m.Key)
		})
	}
	return fork
}

// claimOf returns the claim with the name of another.
func (m Metadata) claimOf(claims, other *yaml.Node) *yaml.Node {
	for _, c := range yamlnode.Elements(claims) {
		if m.same(yamlnode.Lookup(c, "metadata", "name"), yamlnode.Lookup(other, "metadata", "name")) {
			return c
		}
	}
	return nil
}

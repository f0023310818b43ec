package transform

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Metadata is an entry of kustomize's labels or commonAnnotations: one key that all
// resources have.
type Metadata struct {
	// Field is labels or annotations.
	Field, Key string
	Value      *yaml.Node
	// Templates says that it is set in the templates of workloads too.
	Templates bool
	same      Same
}

// Same reports whether two values, either of which may be nil, are equal to the merge.
type Same func(a, b *yaml.Node) bool

// Pair is a resource as a base has it, nil if it has none, and as a fork does.
type Pair struct{ Base, Fork *yaml.Node }

// Common returns the entries of a field that all resources of the fork have, and that are new on
// more than one: with templates and without, as kustomize has the field.
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

// places are where a transformer sets the key in a resource, as kustomize has them.
func (m Metadata) places(n *yaml.Node) [][]string {
	places := [][]string{{"metadata", m.Field}}
	if !m.Templates {
		return places
	}
	t := yamlnode.MetaOf(n)
	switch group := t.Group(); t.Kind {
	case "Deployment", "ReplicaSet", "DaemonSet", "StatefulSet":
		places = append(places, []string{"spec", "template", "metadata", m.Field})
	case "ReplicationController":
		if t.Version() == "v1" {
			places = append(places, []string{"spec", "template", "metadata", m.Field})
		}
	case "Job":
		if group == "batch" {
			places = append(places, []string{"spec", "template", "metadata", m.Field})
		}
	case "CronJob":
		if group == "batch" {
			places = append(places, []string{"spec", "jobTemplate", "metadata", m.Field},
				[]string{"spec", "jobTemplate", "spec", "template", "metadata", m.Field})
		}
	}
	return places
}

// Apply sets the key in a resource.
func (m Metadata) Apply(n *yaml.Node) *yaml.Node {
	for _, place := range m.places(n) {
		n = yamlnode.Set(n, nil, m.Value, append(place, m.Key)...)
	}
	if m.claims(n) {
		n = yamlnode.Set(n, nil, yamlnode.Each(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"), func(c *yaml.Node) *yaml.Node {
			return yamlnode.Set(c, nil, m.Value, "metadata", m.Field, m.Key)
		}), "spec", "volumeClaimTemplates")
	}
	return n
}

// claims reports whether kustomize sets labels in the claims of a resource too.
func (m Metadata) claims(n *yaml.Node) bool {
	return m.Templates && m.Field == "labels" && isStatefulSet(yamlnode.MetaOf(n)) &&
		len(yamlnode.Elements(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"))) > 0
}

// Undo returns fork with what the transformer sets as base has it.
func (m Metadata) Undo(fork, base *yaml.Node) *yaml.Node {
	for _, place := range m.places(fork) {
		path := append(place, m.Key)
		if m.same(yamlnode.Lookup(fork, path...), m.Value) {
			fork = yamlnode.Set(fork, base, yamlnode.Lookup(base, path...), path...)
		}
	}
	if m.claims(fork) {
		claims := yamlnode.Lookup(base, "spec", "volumeClaimTemplates")
		fork = visit(fork, []string{"spec", "volumeClaimTemplates"}, func(c *yaml.Node) *yaml.Node {
			was := m.claimOf(claims, c)
			return yamlnode.Set(c, was, yamlnode.Lookup(was, "metadata", m.Field, m.Key), "metadata", m.Field, m.Key)
		})
	}
	return fork
}

// claimOf is the claim of a list that has the name of another.
func (m Metadata) claimOf(claims, other *yaml.Node) *yaml.Node {
	for _, c := range yamlnode.Elements(claims) {
		if m.same(yamlnode.Lookup(c, "metadata", "name"), yamlnode.Lookup(other, "metadata", "name")) {
			return c
		}
	}
	return nil
}

func isStatefulSet(t yamlnode.Meta) bool {
	return t.Kind == "StatefulSet" && t.Group() == "apps"
}

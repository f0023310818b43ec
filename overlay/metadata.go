package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

// metadata is an entry of kustomize's labels or commonAnnotations: one key that all
// resources have.
type metadata struct {
	field, key string
	value      *yaml.Node
	// templates says that it is set in the templates of workloads too.
	templates bool
}

// labels are the labels that all of the fork has, and that were new on more than one
// resource.
func labels(built []*pair) []transformer { return common("labels", []bool{true, false}, built) }

// annotations are the same for annotations, which kustomize always sets in templates too.
func annotations(built []*pair) []transformer { return common("annotations", []bool{true}, built) }

func common(field string, templates []bool, built []*pair) (out []transformer) {
	all, changed, values := map[string]int{}, map[string]int{}, map[string]*yaml.Node{}
	var keys []string
	for _, p := range built {
		is, was := yamlnode.Lookup(p.source, "metadata", field), yamlnode.Lookup(p.patchedBase(), "metadata", field)
		now, before := yamlnode.Fields(is), yamlnode.Fields(was)
		for _, key := range yamlnode.Names(is) {
			v := now(key)
			if values[key] == nil {
				values[key] = v
				keys = append(keys, key)
			}
			if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && merge.Same(v, values[key]) {
				all[key]++
			}
			if p.isPatched() && !merge.Same(v, before(key)) {
				changed[key]++
			}
		}
	}
	for _, key := range keys {
		for _, inTemplates := range templates {
			if all[key] == len(built) && changed[key] > 1 {
				out = append(out, metadata{field, key, values[key], inTemplates})
			}
		}
	}
	return out
}

// places are where a transformer sets the key in a resource, as kustomize has them.
func (m metadata) places(n *yaml.Node) [][]string {
	places := [][]string{{"metadata", m.field}}
	if !m.templates {
		return places
	}
	t := patch.TargetOf(n)
	switch group := identity.Group(t.APIVersion); t.Kind {
	case "Deployment", "ReplicaSet", "DaemonSet", "StatefulSet":
		places = append(places, []string{"spec", "template", "metadata", m.field})
	case "ReplicationController":
		if identity.Version(t.APIVersion) == "v1" {
			places = append(places, []string{"spec", "template", "metadata", m.field})
		}
	case "Job":
		if group == "batch" {
			places = append(places, []string{"spec", "template", "metadata", m.field})
		}
	case "CronJob":
		if group == "batch" {
			places = append(places, []string{"spec", "jobTemplate", "metadata", m.field},
				[]string{"spec", "jobTemplate", "spec", "template", "metadata", m.field})
		}
	}
	return places
}

func (m metadata) apply(_ *pair, n *yaml.Node) *yaml.Node {
	for _, place := range m.places(n) {
		n = set(n, nil, m.value, append(place, m.key)...)
	}
	if m.claims(n) {
		n = set(n, nil, each(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"), func(c *yaml.Node) *yaml.Node {
			return set(c, nil, m.value, "metadata", m.field, m.key)
		}), "spec", "volumeClaimTemplates")
	}
	return n
}

// claims reports whether kustomize sets labels in the claims of a resource too.
func (m metadata) claims(n *yaml.Node) bool {
	return m.templates && m.field == "labels" && isStatefulSet(patch.TargetOf(n)) &&
		len(yamlnode.Elements(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"))) > 0
}

func (m metadata) undo(_ *pair, fork, base *yaml.Node) *yaml.Node {
	for _, place := range m.places(fork) {
		path := append(place, m.key)
		if merge.Same(yamlnode.Lookup(fork, path...), m.value) {
			fork = set(fork, base, yamlnode.Lookup(base, path...), path...)
		}
	}
	if m.claims(fork) {
		claims := yamlnode.Lookup(base, "spec", "volumeClaimTemplates")
		fork = visit(fork, []string{"spec", "volumeClaimTemplates"}, func(c *yaml.Node) *yaml.Node {
			was := claimOf(claims, c)
			return set(c, was, yamlnode.Lookup(was, "metadata", m.field, m.key), "metadata", m.field, m.key)
		})
	}
	return fork
}

// claimOf is the claim of a list that has the name of another.
func claimOf(claims, other *yaml.Node) *yaml.Node {
	for _, c := range yamlnode.Elements(claims) {
		if merge.Same(yamlnode.Lookup(c, "metadata", "name"), yamlnode.Lookup(other, "metadata", "name")) {
			return c
		}
	}
	return nil
}

func (m metadata) write(k *yaml.Node) {
	if m.field == "annotations" {
		all := yamlnode.Field(k, "commonAnnotations")
		if all == nil {
			all = yamlnode.EmptyMap()
			k.Content = append(k.Content, yamlnode.String("commonAnnotations"), all)
		}
		all.Content = append(all.Content, yamlnode.String(m.key), m.value)
		return
	}
	pairs, entry := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	pairs.Content = append(pairs.Content, yamlnode.String(m.key), m.value)
	entry.Content = append(entry.Content, yamlnode.String("pairs"), pairs)
	if m.templates {
		entry.Content = append(entry.Content, yamlnode.String("includeTemplates"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	list := sequence(k, "labels")
	list.Content = append(list.Content, entry)
}

func isStatefulSet(t patch.Target) bool {
	return t.Kind == "StatefulSet" && identity.Group(t.APIVersion) == "apps"
}

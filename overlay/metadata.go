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
func labels(pairs []*pair) []transformer { return common("labels", []bool{true, false}, pairs) }

// annotations are the same for annotations, which kustomize always sets in templates too.
func annotations(pairs []*pair) []transformer { return common("annotations", []bool{true}, pairs) }

func common(field string, templates []bool, pairs []*pair) (out []transformer) {
	count := map[string]int{}
	for _, p := range both(pairs) {
		is, was := yamlnode.Lookup(p.fork, "metadata", field), yamlnode.Lookup(p.base, "metadata", field)
		now, before := yamlnode.Fields(is), yamlnode.Fields(was)
		for _, key := range yamlnode.Names(is) {
			v := now(key)
			if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" || merge.Same(v, before(key)) {
				continue
			}
			if count[key]++; count[key] == 2 {
				for _, inTemplates := range templates {
					out = append(out, metadata{field, key, v, inTemplates})
				}
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

func (m metadata) apply(n *yaml.Node) *yaml.Node {
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
	return m.templates && m.field == "labels" && patch.TargetOf(n).Kind == "StatefulSet" &&
		len(yamlnode.Elements(yamlnode.Lookup(n, "spec", "volumeClaimTemplates"))) > 0
}

func (m metadata) undo(fork, base *yaml.Node) *yaml.Node {
	for _, place := range m.places(fork) {
		path := append(place, m.key)
		if merge.Same(yamlnode.Lookup(fork, path...), m.value) {
			fork = set(fork, base, yamlnode.Lookup(base, path...), path...)
		}
	}
	return fork
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

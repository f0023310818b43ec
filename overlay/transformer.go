package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// transformer is the effect on every resource of one field of a kustomization, or of one entry.
type transformer interface {
	// apply returns the transformed resource; the same node if nothing changed.
	apply(p *pair, resource *yaml.Node) *yaml.Node
	// undo returns fork with base's values in the fields that the transformer sets.
	undo(p *pair, fork, base *yaml.Node) *yaml.Node
	// write adds the transformer to a kustomization.
	write(k *yaml.Node)
}

// patchedPairs returns the pairs whose fork is built from the base's resource.
func patchedPairs(pairs []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isPatched() })
}

// metadataEntry is an entry of kustomize's labels or commonAnnotations.
type metadataEntry struct{ transform.Metadata }

// commonMetadata returns the labels or annotations that all resources of the fork have and that are new
// on more than one.
func commonMetadata(field string, built []*pair) (out []transformer) {
	pairs := make([]transform.Pair, len(built))
	for i, p := range built {
		pairs[i] = transform.Pair{Base: p.patchedBase(), Fork: p.source}
	}
	for _, m := range transform.Common(field, pairs, merge.Same) {
		out = append(out, metadataEntry{m})
	}
	return out
}

func (m metadataEntry) apply(_ *pair, n *yaml.Node) *yaml.Node { return m.Apply(n) }

func (m metadataEntry) undo(_ *pair, fork, base *yaml.Node) *yaml.Node { return m.Undo(fork, base) }

func (m metadataEntry) write(k *yaml.Node) {
	if m.Field == "annotations" {
		all := yamlnode.Field(k, "commonAnnotations")
		if all == nil {
			all = yamlnode.EmptyMap()
			addField(k, "commonAnnotations", all)
		}
		all.Content = append(all.Content, yamlnode.String(m.Key), m.Value)
		return
	}
	pairs, entry := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	addField(pairs, m.Key, m.Value)
	addField(entry, "pairs", pairs)
	if m.Templates {
		addField(entry, "includeTemplates", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	addTo(k, "labels", entry)
}

// replicaCounts is kustomize's replicas: the count for all workloads of a name.
type replicaCounts struct {
	names  []string
	counts map[string]*yaml.Node
}

// replicaTransformers returns the counts that the fork changed, except for names whose workloads
// have different counts.
func replicaTransformers(built []*pair) []transformer {
	r := replicaCounts{counts: map[string]*yaml.Node{}}
	for _, p := range patchedPairs(built) {
		was, is := yamlnode.Lookup(p.base, "spec", "replicas"), yamlnode.Lookup(p.source, "spec", "replicas")
		name := yamlnode.MetaOf(p.base).Name
		if isScaled(p.base) && is != nil && is.ShortTag() == "!!int" && !merge.Same(was, is) && r.counts[name] == nil {
			r.names, r.counts[name] = append(r.names, name), is
		}
	}
	for _, p := range built {
		for _, name := range p.names {
			if count := r.counts[name]; count != nil && isScaled(p.source) && !merge.Same(count, yamlnode.Lookup(p.source, "spec", "replicas")) {
				delete(r.counts, name)
			}
		}
	}
	return []transformer{r}
}

// isScaled reports whether kustomize sets the replicas of a kind.
func isScaled(n *yaml.Node) bool {
	return slices.Contains([]string{"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"}, yamlnode.MetaOf(n).Kind)
}

// count returns the count for a resource, nil if there is none.
func (r replicaCounts) count(p *pair, n *yaml.Node) *yaml.Node {
	for _, name := range p.names {
		if count := r.counts[name]; count != nil && isScaled(n) {
			return count
		}
	}
	return nil
}

func (r replicaCounts) apply(p *pair, n *yaml.Node) *yaml.Node {
	if count := r.count(p, n); count != nil {
		return yamlnode.Set(n, nil, count, "spec", "replicas")
	}
	return n
}

func (r replicaCounts) undo(p *pair, fork, base *yaml.Node) *yaml.Node {
	if r.count(p, fork) == nil {
		return fork
	}
	return yamlnode.Set(fork, base, yamlnode.Lookup(base, "spec", "replicas"), "spec", "replicas")
}

func (r replicaCounts) write(k *yaml.Node) {
	for _, name := range r.names {
		if r.counts[name] == nil {
			continue
		}
		entry := newMapping("name", name)
		addField(entry, "count", r.counts[name])
		addTo(k, "replicas", entry)
	}
}

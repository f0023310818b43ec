package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// transformer is what one field of a kustomization, or an entry of one, does to every
// resource.
type transformer interface {
	// apply is a resource after it; the same node if that does nothing.
	apply(p *pair, resource *yaml.Node) *yaml.Node
	// undo is fork with what the transformer sets as base has it.
	undo(p *pair, fork, base *yaml.Node) *yaml.Node
	// write adds it to a kustomization.
	write(k *yaml.Node)
}

// both are the pairs of which the overlay makes the fork's resource of the base's.
func both(pairs []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isPatched() })
}

// metadata is an entry of kustomize's labels or commonAnnotations.
type metadata struct{ transform.Metadata }

// labels are the labels that all of the fork has, and that were new on more than one
// resource.
func labels(built []*pair) []transformer { return common("labels", built) }

// annotations are the same for annotations.
func annotations(built []*pair) []transformer { return common("annotations", built) }

func common(field string, built []*pair) (out []transformer) {
	pairs := make([]transform.Pair, len(built))
	for i, p := range built {
		pairs[i] = transform.Pair{Base: p.patchedBase(), Fork: p.source}
	}
	for _, m := range transform.Common(field, pairs, merge.Same) {
		out = append(out, metadata{m})
	}
	return out
}

func (m metadata) apply(_ *pair, n *yaml.Node) *yaml.Node { return m.Apply(n) }

func (m metadata) undo(_ *pair, fork, base *yaml.Node) *yaml.Node { return m.Undo(fork, base) }

func (m metadata) write(k *yaml.Node) {
	if m.Field == "annotations" {
		all := yamlnode.Field(k, "commonAnnotations")
		if all == nil {
			all = yamlnode.EmptyMap()
			k.Content = append(k.Content, yamlnode.String("commonAnnotations"), all)
		}
		all.Content = append(all.Content, yamlnode.String(m.Key), m.Value)
		return
	}
	pairs, entry := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	pairs.Content = append(pairs.Content, yamlnode.String(m.Key), m.Value)
	entry.Content = append(entry.Content, yamlnode.String("pairs"), pairs)
	if m.Templates {
		entry.Content = append(entry.Content, yamlnode.String("includeTemplates"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	list := sequence(k, "labels")
	list.Content = append(list.Content, entry)
}

// replicaCounts is kustomize's replicas: the counts of all workloads of a name.
type replicaCounts struct {
	names  []string
	counts map[string]*yaml.Node
}

// replicas are the counts that the fork changed, but for those of names of which it has
// workloads with other counts.
func replicas(built []*pair) []transformer {
	r := replicaCounts{counts: map[string]*yaml.Node{}}
	for _, p := range both(built) {
		was, is := yamlnode.Lookup(p.base, "spec", "replicas"), yamlnode.Lookup(p.source, "spec", "replicas")
		name := yamlnode.MetaOf(p.base).Name
		if isScaled(p.base) && is != nil && is.ShortTag() == "!!int" && !merge.Same(was, is) && r.counts[name] == nil {
			r.names, r.counts[name] = append(r.names, name), is
		}
	}
	for _, p := range built {
		for _, name := range p.called {
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

// of is the count that a resource gets, nil if it gets none.
func (r replicaCounts) of(p *pair, n *yaml.Node) *yaml.Node {
	for _, name := range p.called {
		if count := r.counts[name]; count != nil && isScaled(n) {
			return count
		}
	}
	return nil
}

func (r replicaCounts) apply(p *pair, n *yaml.Node) *yaml.Node {
	if count := r.of(p, n); count != nil {
		return yamlnode.Set(n, nil, count, "spec", "replicas")
	}
	return n
}

func (r replicaCounts) undo(p *pair, fork, base *yaml.Node) *yaml.Node {
	if r.of(p, fork) == nil {
		return fork
	}
	return yamlnode.Set(fork, base, yamlnode.Lookup(base, "spec", "replicas"), "spec", "replicas")
}

func (r replicaCounts) write(k *yaml.Node) {
	for _, name := range r.names {
		if r.counts[name] == nil {
			continue
		}
		entry := mapOf([2]string{"name", name})
		entry.Content = append(entry.Content, yamlnode.String("count"), r.counts[name])
		list := sequence(k, "replicas")
		list.Content = append(list.Content, entry)
	}
}

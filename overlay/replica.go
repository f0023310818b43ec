package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

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
		name := patch.TargetOf(p.base).Name
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
	return slices.Contains([]string{"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"}, patch.TargetOf(n).Kind)
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

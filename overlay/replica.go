package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

// replica is an entry of kustomize's replicas: the count of all workloads of a name.
type replica struct {
	name  string
	count *yaml.Node
}

// replicas are the counts that the fork changed.
func replicas(pairs []*pair) (out []transformer) {
	for _, p := range both(pairs) {
		was, is := yamlnode.Lookup(p.base, "spec", "replicas"), yamlnode.Lookup(p.fork, "spec", "replicas")
		if isScaled(p.base) && is != nil && is.ShortTag() == "!!int" && !merge.Same(was, is) {
			out = append(out, replica{patch.TargetOf(p.fork).Name, is})
		}
	}
	return out
}

// isScaled reports whether kustomize sets the replicas of a kind.
func isScaled(n *yaml.Node) bool {
	return slices.Contains([]string{"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"}, patch.TargetOf(n).Kind)
}

func (r replica) isOf(n *yaml.Node) bool { return isScaled(n) && patch.TargetOf(n).Name == r.name }

func (r replica) apply(n *yaml.Node) *yaml.Node {
	if !r.isOf(n) {
		return n
	}
	return set(n, nil, r.count, "spec", "replicas")
}

func (r replica) undo(fork, base *yaml.Node) *yaml.Node {
	if !r.isOf(fork) {
		return fork
	}
	return set(fork, base, yamlnode.Lookup(base, "spec", "replicas"), "spec", "replicas")
}

func (r replica) write(k *yaml.Node) {
	entry := mapOf([2]string{"name", r.name})
	entry.Content = append(entry.Content, yamlnode.String("count"), r.count)
	list := sequence(k, "replicas")
	list.Content = append(list.Content, entry)
}

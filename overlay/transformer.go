package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// transformer is what one entry of a kustomization does to every resource.
type transformer interface {
	// apply is a resource after it; the same node if that does nothing.
	apply(resource *yaml.Node) *yaml.Node
	// undo is fork with what the transformer sets as base has it.
	undo(fork, base *yaml.Node) *yaml.Node
	// write adds the entry to a kustomization.
	write(k *yaml.Node)
}

// both are the pairs of which both have the resource.
func both(pairs []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return p.base == nil || p.fork == nil })
}

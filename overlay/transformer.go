package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"
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

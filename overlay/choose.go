package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// choose finds the transformers that do what the fork did and nothing else: each resource of the
// fork must come out as it is (design 16.5). It sets the sources of the pairs.
func choose(pairs []*pair) []transformer {
	var chosen []transformer
	for _, candidates := range [][]transformer{affixes(pairs), namespaces(pairs), labels(pairs), annotations(pairs), replicas(pairs), images(pairs)} {
		for _, candidate := range candidates {
			if with := append(slices.Clone(chosen), candidate); helps(candidate, chosen, pairs) && exact(with, pairs) {
				chosen = with
			}
		}
	}
	for _, p := range pairs {
		p.source = sourceOf(p, chosen)
	}
	return chosen
}

// helps reports whether a transformer leaves less for patches to do than those chosen do.
func helps(t transformer, chosen []transformer, pairs []*pair) bool {
	return slices.ContainsFunc(both(pairs), func(p *pair) bool {
		source := sourceOf(p, chosen)
		return !merge.Same(t.undo(source, p.base), source)
	})
}

// exact reports whether the transformers make the fork's resources of their sources.
func exact(all []transformer, pairs []*pair) bool {
	for _, p := range pairs {
		if p.fork == nil {
			continue
		}
		n := sourceOf(p, all)
		for _, t := range all {
			n = t.apply(n)
		}
		if !merge.Same(n, p.fork) {
			return false
		}
	}
	return true
}

// sourceOf is what must be there before the transformers for the fork's resource to come out.
func sourceOf(p *pair, all []transformer) *yaml.Node {
	n := p.fork
	for _, t := range slices.Backward(all) {
		if _, named := t.(affix); n != nil && (named || p.base != nil) {
			n = t.undo(n, p.base)
		}
	}
	return n
}

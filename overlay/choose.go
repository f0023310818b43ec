package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// choose finds the transformers that do what the fork did and nothing else: each resource of the
// fork must come out as it is (design 16.5). It takes what they do out of the sources of
// the pairs. A field in use, by the overlay's kustomization or the base's, stays as it is.
func choose(pairs []*pair, inUse func(field string) bool) []transformer {
	built := slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isBuilt() })
	var chosen []transformer
	for _, of := range []struct {
		field      string
		candidates func([]*pair) []transformer
	}{{"labels", labels}, {"commonAnnotations", annotations}, {"replicas", replicas}, {"images", images}} {
		if inUse(of.field) {
			continue
		}
		for _, candidate := range of.candidates(built) {
			if sources, exact, helps := sourcesOf(built, candidate); exact && helps {
				chosen = append(chosen, candidate)
				for i, p := range built {
					p.source = sources[i]
				}
			}
		}
	}
	return chosen
}

// sourcesOf are the sources before a transformer, whether it makes the sources of them, and
// whether it leaves less for patches to do.
func sourcesOf(built []*pair, t transformer) (sources []*yaml.Node, exact, helps bool) {
	exact = true
	for _, p := range built {
		source := p.source
		if base := p.patchedBase(); base != nil {
			source = t.undo(p, p.source, base)
			helps = helps || !merge.Same(source, p.source)
		}
		sources = append(sources, source)
		exact = exact && merge.Same(t.apply(p, source), p.source)
	}
	return sources, exact, helps
}

package update

import (
	"context"
	"maps"
	"path"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// byPackage is the strategy of a package whose subpackages have strategies of their
// own.
type byPackage struct {
	root  pkgmerge.Strategy
	below map[string]pkgmerge.Strategy
}

// Name is that of the package's own strategy.
func (b byPackage) Name() string { return b.root.Name() }

// of is the strategy that a resource has.
func (b byPackage) of(m *pkgmerge.Match) pkgmerge.Strategy {
	return b.nearest(m.Package())
}

// StrategyOf is the strategy that a file has.
func (b byPackage) StrategyOf(file string) pkgmerge.Strategy { return b.nearest(path.Dir(file)) }

// nearest is the strategy of the nearest package around a directory which has one.
func (b byPackage) nearest(dir string) pkgmerge.Strategy {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if own := b.below[dir]; own != nil {
			return own
		}
	}
	return b.root
}

// Prepare has each strategy decide about its own resources.
func (b byPackage) Prepare(ctx context.Context, matches []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	decided := map[int]merge.Outcome{}
	for _, s := range pkgmerge.Strategies() {
		var own []*pkgmerge.Match
		var at []int
		for i, m := range matches {
			if b.of(m).Name() == s.Name() {
				own, at = append(own, m), append(at, i)
			}
		}
		if len(own) == 0 {
			continue
		}
		some, err := s.Prepare(ctx, own)
		if err != nil {
			return nil, err
		}
		for i, outcome := range maps.All(some) {
			decided[at[i]] = outcome
		}
	}
	return decided, nil
}

// Merge merges a resource by the strategy of its package.
func (b byPackage) Merge(m *pkgmerge.Match) (merge.Outcome, error) { return b.of(m).Merge(m) }

package pkgmerge

import (
	"context"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// FileStrategy is a Strategy that has others decide, each about files of its own.
type FileStrategy interface {
	Strategy
	// StrategyOf is the strategy that decides about a file.
	StrategyOf(file string) Strategy
}

// Strategy decides what becomes of each resource (design 6).
type Strategy interface {
	// Name is what the function config and a Kptfile call the strategy.
	Name() string
	// Prepare decides what concerns several resources at once. Its outcomes, by
	// index of the matches, stand; the other resources are for Merge.
	Prepare(ctx context.Context, matches []*Match) (map[int]merge.Outcome, error)
	// Merge decides one resource. Calls for different matches may overlap.
	Merge(*Match) (merge.Outcome, error)
}

// take is the outcome that is a side's version as it stands: none, if the side
// has none.
func take(m *Match, side identity.Side) merge.Outcome {
	switch {
	case !m.Has(side):
		return merge.Outcome{Verdict: merge.Drop}
	case side == identity.Upstream:
		return merge.Outcome{Verdict: merge.TakeUpstream}
	}
	return merge.Outcome{Verdict: merge.TakeLocal}
}

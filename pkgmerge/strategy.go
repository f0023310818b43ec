package pkgmerge

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

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

// Strategies lists the strategies; the first is the usual one.
func Strategies() []Strategy {
	return []Strategy{ResourceMerge{}, FastForward{}, ForceDeleteReplace{}, CopyMerge{}}
}

// StrategyNamed is the strategy of that name. An error lists the names.
func StrategyNamed(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("%q is not allowed, allowed are %s", name, strings.Join(names, ", "))
}

// DefaultStrategy is the strategy that local's Kptfile asks for, else
// ResourceMerge.
func DefaultStrategy(local Package) (Strategy, error) {
	for _, r := range local.Resources {
		if !r.isKptfile() || path.Dir(r.File) != "." {
			continue
		}
		tree, err := r.Tree()
		if err != nil {
			return nil, err
		}
		name := yamlnode.Text(yamlnode.Lookup(tree, "upstream", "updateStrategy"))
		if name == "" {
			break
		}
		s, err := StrategyNamed(name)
		if err != nil {
			return nil, fmt.Errorf("%s: upstream.updateStrategy: %w", r, err)
		}
		return s, nil
	}
	return ResourceMerge{}, nil
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

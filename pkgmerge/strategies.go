package pkgmerge

import (
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

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

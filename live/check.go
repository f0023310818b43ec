package live

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// checkConfig finds resources that the config has twice (design 13), and a config that
// would prune everything (design 15.3).
func (p *planner) checkConfig() (problems []Problem) {
	seen := make(map[identity.ID]int, len(p.in.Config))
	for _, o := range p.in.Config {
		if seen[o.ID]++; seen[o.ID] == 2 {
			problems = append(problems, Problem{Kind: Duplicate, Object: o.ID})
		}
	}
	if v := p.in.Inventory; v != nil && len(p.in.Config) == 0 && len(v.Resources) > 0 && !p.in.MayBeEmpty {
		problems = append(problems, Problem{Kind: Emptied, Object: v.Object, Detail: wording.Plural(len(v.Resources), "resource")})
	}
	return problems
}

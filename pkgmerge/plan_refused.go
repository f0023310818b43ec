package pkgmerge

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
	"github.com/resource-merge/resource-merge/merge"
)

// refused makes the plan again where the server would refuse objects: what depends on
// them is skipped (design 15.5).
func (p *plan) refused(changes []*Change) error {
	refused := map[identity.ID]bool{}
	for _, c := range changes {
		for _, conflict := range c.Conflicts {
			if c.Fails(conflict) && (conflict.Kind == merge.Refused || conflict.Kind == merge.Owned) {
				refused[c.ID] = true
			}
		}
	}
	if len(refused) == 0 {
		return nil
	}
	p.input.Refused = func(id identity.ID) bool { return refused[id] }
	again, err := live.New(p.input)
	if err != nil {
		return fmt.Errorf("plan without what is refused: %w", err)
	}
	p.Plan = again
	return nil
}

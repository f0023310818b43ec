package live

import "github.com/resource-merge/resource-merge/identity"

// listed is what the inventory lists afterwards (design 15.7): what is applied in the
// order of the config, then what it had and what is not applied, then what it had and
// what is not pruned. What is kept, and what was just applied in another group, is gone.
func (p *planner) listed() (ids []identity.ID) {
	remain := map[identity.ID]Step{}
	for _, s := range p.decided {
		switch {
		case s.Action == Apply:
			ids = append(ids, s.ID)
		case s.Action == Skip && s.Reason != SameObject:
			remain[s.ID] = s
		}
	}
	for _, phase := range phases() {
		for _, id := range p.in.Inventory.Resources {
			if s, found := remain[id]; found && phase(s) {
				ids = append(ids, id)
				delete(remain, id)
			}
		}
	}
	return ids
}

// phases are the kinds of skipped resources, in the order in which kpt lists them.
func phases() [3]func(Step) bool {
	return [3]func(Step) bool{
		func(s Step) bool { return s.Reason == Refused },
		func(s Step) bool { return !s.Pruning },
		func(s Step) bool { return s.Pruning },
	}
}

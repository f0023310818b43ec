package live

import "github.com/resource-merge/resource-merge/identity"

// rule is the step of a node as it is, or with another action and the reason for it.
type rule func(s Step, node int) Step

// decide says what becomes of a node, after all that it depends on, or all that
// depends on it, is decided. The first rule that gives a reason counts.
func (p *planner) decide(node, wave int) Step {
	s := Step{ID: p.objects[node].ID, Wave: wave}
	if p.pruned(node) {
		s.Action, s.Pruning = Prune, true
		return first(s, node, p.kept, p.owned, p.vacant, p.unneeded, p.distinct)
	}
	text, _ := p.objects[node].annotation(ApplyTimeMutation)
	s.Mutations, _ = mutations(text) // the graph has found what is wrong with them
	s = first(s, node, p.owned, p.supported, p.accepted)
	if uid := p.uid(s.ID); s.Action == Apply && uid != "" {
		p.applied[uid] = s.ID
	}
	return s
}

func first(s Step, node int, rules ...rule) Step {
	for _, r := range rules {
		if s = r(s, node); s.Reason != None {
			return s
		}
	}
	return s
}

// supported skips what depends on something that is not applied (design 15.3, 15.5).
func (p *planner) supported(s Step, node int) Step {
	for _, to := range p.graph.to[node] {
		switch other := p.objects[to].ID; {
		case p.pruned(to):
			return s.because(Skip, DependencyPruned, other)
		case p.decided[to].Action != Apply:
			return s.because(Skip, DependencySkipped, other)
		}
	}
	return s
}

// accepted skips what the server would refuse.
func (p *planner) accepted(s Step, _ int) Step {
	if p.in.Refused != nil && p.in.Refused(s.ID) {
		return s.because(Skip, Refused, identity.ID{})
	}
	return s
}

// vacant skips a Namespace in which the config has something, or the inventory is
// (design 15.3).
func (p *planner) vacant(s Step, node int) Step {
	if !p.objects[node].isNamespace() {
		return s
	}
	if other, found := p.inhabitants[s.ID.Name]; found {
		return s.because(Skip, Inhabited, other)
	}
	return s
}

// unneeded skips what something that stays depends on (design 15.3).
func (p *planner) unneeded(s Step, node int) Step {
	for _, from := range p.graph.from[node] {
		switch other := p.objects[from].ID; {
		case !p.pruned(from):
			return s.because(Skip, DependentApplied, other)
		case p.decided[from].Action != Prune:
			return s.because(Skip, DependentStays, other)
		}
	}
	return s
}

// distinct skips a live object that was just applied: an inventory may list it in a
// group that it was in before.
func (p *planner) distinct(s Step, _ int) Step {
	if other, found := p.applied[p.uid(s.ID)]; found {
		return s.because(Skip, SameObject, other)
	}
	return s
}

package live

import "slices"

// New makes the plan of a config (design 15). The error is a *Refusal with all that is
// wrong, before anything is done. Without an inventory everything is applied in the
// order of the config, and nothing is pruned.
func New(in Input) (*Plan, error) {
	p := newPlanner(in)
	problems := p.checkConfig()
	if in.Inventory == nil {
		if err := refusal(problems); err != nil {
			return nil, err
		}
		return p.unordered(), nil
	}
	graph, wrong := newGraph(p.objects)
	levels, left := graph.levels()
	if err := refusal(slices.Concat(problems, wrong, graph.cycles(left))); err != nil {
		return nil, err
	}
	p.graph = graph
	return p.ordered(levels), nil
}

// unordered goes through the config as kubectl goes through a list.
func (p *planner) unordered() *Plan {
	plan := &Plan{}
	for node, o := range p.objects {
		plan.Steps = append(plan.Steps, p.accepted(Step{ID: o.ID}, node))
	}
	return plan
}

// ordered decides wave by wave.
func (p *planner) ordered(levels [][]int) *Plan {
	plan := &Plan{Owner: p.in.Inventory.ID, inventory: p.in.Inventory}
	for i, wave := range p.waves(levels) {
		for _, node := range wave {
			p.decided[node] = p.decide(node, i+1)
			plan.Steps = append(plan.Steps, p.decided[node])
		}
	}
	plan.Resources = p.listed()
	return plan
}

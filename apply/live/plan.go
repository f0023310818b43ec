package live

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Input is what a plan is made of.
type Input struct {
	// Config is what is to be applied (rules/apply: the strategy apply), without
	// inventories.
	Config []Object
	// Live is what the cluster has. What an inventory lists and Live lacks is gone.
	Live []Object
	// Inventory is what Choose found; nil if the package and the cluster have none.
	Inventory *Inventory
	Policy    Policy
	// MayBeEmpty lets a config without resources prune everything (rules/live: the
	// prune set).
	MayBeEmpty bool
	// Refused reports whether the server would refuse a resource of the config
	// (rules/apply: the strategy apply). Nil refuses nothing.
	Refused func(identity.ID) bool
}

// Plan is what `kpt live apply` would do, in its order.
type Plan struct {
	// Owner is what the annotation OwningInventory becomes of all that is applied, ""
	// without an inventory. It is set before merging, so that last-applied has it too.
	Owner string
	Steps []Step
	// Resources is what the inventory lists afterwards.
	Resources []identity.ID
	inventory *Inventory
}

// Inventory is the object of the inventory afterwards (rules/live: the inventory
// afterwards), nil if there is none.
func (p *Plan) Inventory() *yaml.Node {
	if p.inventory == nil {
		return nil
	}
	return p.inventory.With(p.Resources)
}

// New makes the plan of a config (rules/live: plans). The error is a *Refusal with all
// that is wrong, before anything is done. Without an inventory everything is applied in
// the order of the config, and nothing is pruned.
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

// planner makes one plan.
type planner struct {
	in    Input
	live  map[identity.ID]int
	graph *graph
	// objects are the nodes of the graph: the config, then the prune set as it is live.
	objects []Object
	// decided is what became of each node so far.
	decided []Step
	// applied has what is applied by the uid of its live object.
	applied map[string]identity.ID
	// inhabitants has something that stays in a namespace, by its name.
	inhabitants map[string]identity.ID
}

func newPlanner(in Input) *planner {
	p := &planner{in: in, live: byID(in.Live), applied: map[string]identity.ID{}, inhabitants: map[string]identity.ID{}}
	for _, o := range in.Config {
		p.inhabitants[o.ID.Namespace] = o.ID
	}
	p.objects = in.Config
	if v := in.Inventory; v != nil {
		p.objects = slices.Concat(in.Config, p.pruneSet())
		p.inhabitants[v.Object.Namespace] = v.Object
	}
	p.decided = make([]Step, len(p.objects))
	return p
}

// pruneSet is what the inventory lists, the config has not, and is live (rules/live:
// the prune set).
func (p *planner) pruneSet() (objects []Object) {
	seen := byID(p.in.Config)
	for _, id := range p.in.Inventory.Resources {
		at, found := p.live[id]
		if _, known := seen[id]; found && !known {
			seen[id] = at
			objects = append(objects, p.in.Live[at])
		}
	}
	return objects
}

// pruned reports whether a node is one of the prune set.
func (p *planner) pruned(node int) bool { return node >= len(p.in.Config) }

// uid is that of the live object of an ID, "" if there is none.
func (p *planner) uid(id identity.ID) string {
	at, found := p.live[id]
	if !found {
		return ""
	}
	return yamlnode.Text(yamlnode.Lookup(p.in.Live[at].Node, "metadata", "uid"))
}

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

// supported skips what depends on something that is not applied (rules/live: the prune
// set; rules/live: errors).
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
// (rules/live: the prune set).
func (p *planner) vacant(s Step, node int) Step {
	if !p.objects[node].isNamespace() {
		return s
	}
	if other, found := p.inhabitants[s.ID.Name]; found {
		return s.because(Skip, Inhabited, other)
	}
	return s
}

// unneeded skips what something that stays depends on (rules/live: the prune set).
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

// checkConfig finds resources that the config has twice (rules/apply: the strategy
// apply), and a config that would prune everything (rules/live: the prune set).
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

// listed is what the inventory lists afterwards (rules/live: the inventory afterwards):
// what is applied in the order of the config, then what it had and what is not applied,
// then what it had and what is not pruned. What is kept, and what was just applied in
// another group, is gone.
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

// Policy says which live objects a package may take (rules/live: owners).
type Policy int

const (
	// Strict takes only what belongs to the package's own inventory.
	Strict Policy = iota
	// Adopt takes what belongs to no inventory too.
	Adopt
)

// Annotations by which a live object says that it is not to be pruned (rules/live: the
// prune set). Only these values count.
const (
	OnRemove, OnRemoveKeep   = "cli-utils.sigs.k8s.io/on-remove", "keep"
	Deletion, DeletionDetach = "client.lifecycle.config.k8s.io/deletion", "detach"
)

// owned skips a live object that belongs to somebody else (rules/live: owners): one of
// another inventory is never taken, and one of none only by Adopt.
func (p *planner) owned(s Step, _ int) Step {
	at, isLive := p.live[s.ID]
	if !isLive {
		return s
	}
	owner, found := p.in.Live[at].annotation(OwningInventory)
	switch {
	case !found && p.in.Policy == Strict:
		return s.annotated(Skip, Unowned, OwningInventory, "")
	case found && owner != p.in.Inventory.ID:
		return s.annotated(Skip, Foreign, OwningInventory, owner)
	}
	return s
}

// kept keeps a live object that says that it is to stay (rules/live: the prune set),
// whosever it is.
func (p *planner) kept(s Step, node int) Step {
	for _, stay := range [][2]string{{OnRemove, OnRemoveKeep}, {Deletion, DeletionDetach}} {
		if value, found := p.objects[node].annotation(stay[0]); found && value == stay[1] {
			return s.annotated(Keep, Annotated, stay[0], value)
		}
	}
	return s
}

// Package live plans what `kpt live apply` does with a package and a recorded cluster (rules/live: plans): which
// objects are applied, pruned, kept and skipped, in which order, and why. It connects to nothing, waits for nothing,
// and assumes that each applied object becomes ready.
//
//	own, err := live.Own(items)                 // the inventory that the package names
//	inventory, err := live.Choose(own, cluster) // the inventory as the cluster has it, nil if there is none
//	plan, err := live.New(live.Input{Config: config, Live: cluster, Inventory: inventory})
//
// The caller annotates each applied resource with OwningInventory: plan.Owner before merging it with the live object,
// removes that annotation from kept objects, deletes pruned ones, and leaves skipped ones. Only the merge shows which
// objects the server would refuse: a second plan, with Refused, skips the objects that depend on them.
package live

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Input is the input of a plan.
type Input struct {
	Config     []Object   // the resources to apply (rules/apply: the strategy apply), without inventories
	Live       []Object   // the objects of the cluster; an object that an inventory lists and Live lacks is gone
	Inventory  *Inventory // the result of Choose; without an inventory there is nothing to plan
	Adopt      bool       // takes live objects of no inventory too (rules/live: owners)
	MayBeEmpty bool       // lets a config without resources prune everything (rules/live: the prune set)
	// Refused reports whether the server would refuse a resource of the config (rules/apply: the strategy apply). Nil
	// refuses nothing.
	Refused func(identity.ID) bool
}

// Plan has the steps of `kpt live apply`, in its order.
type Plan struct {
	// Owner is the value of the annotation OwningInventory on all applied objects. It is set before merging, so that
	// last-applied has it too.
	Owner string
	Steps []Step
	// Resources are the entries of the inventory after the apply.
	Resources []identity.ID
	inventory *Inventory
}

// Inventory returns the object of the inventory after the apply (rules/live: the inventory afterwards).
func (p *Plan) Inventory() *yaml.Node { return p.inventory.with(p.Resources) }

// New plans the apply of a config (rules/live: plans). The error is a *Refusal with all problems, found before anything
// is done.
func New(in Input) (*Plan, error) {
	p := newPlanner(in)
	graph, wrong := newGraph(p.objects)
	levels, rest := graph.levels()
	if problems := slices.Concat(p.checkConfig(), wrong, graph.cycles(rest)); len(problems) > 0 {
		return nil, &Refusal{problems}
	}
	p.graph = graph
	return p.ordered(levels), nil
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
	live  map[identity.ID]int // indices in in.Live
	graph *graph
	// objects are the nodes of the graph: the config, then the live objects of the prune set.
	objects []Object
	// decided has the step of each node that was visited.
	decided []Step
	// applied maps the uids of applied live objects to the IDs that the config gives them.
	applied map[string]identity.ID
	// inhabitants has one object that stays in a namespace, by the namespace's name.
	inhabitants map[string]identity.ID
}

func newPlanner(in Input) *planner {
	p := &planner{in: in, live: indexByID(in.Live), applied: map[string]identity.ID{}, inhabitants: map[string]identity.ID{}}
	for _, o := range in.Config {
		p.inhabitants[o.ID.Namespace] = o.ID
	}
	p.objects = slices.Concat(in.Config, p.pruneSet())
	p.inhabitants[in.Inventory.Object.Namespace] = in.Inventory.Object
	p.decided = make([]Step, len(p.objects))
	return p
}

// pruneSet returns the live objects that the inventory lists and the config lacks (rules/live: the prune set).
func (p *planner) pruneSet() (objects []Object) {
	seen := indexByID(p.in.Config)
	for _, id := range p.in.Inventory.Resources {
		at, found := p.live[id]
		if _, known := seen[id]; found && !known {
			seen[id] = at
			objects = append(objects, p.in.Live[at])
		}
	}
	return objects
}

// inPruneSet reports whether a node belongs to the prune set.
func (p *planner) inPruneSet(node int) bool { return node >= len(p.in.Config) }

// uid returns the uid of the live object of an ID, "" if there is none.
func (p *planner) uid(id identity.ID) string {
	at, found := p.live[id]
	if !found {
		return ""
	}
	return p.in.Live[at].text("metadata", "uid")
}

// decide returns the step of a node. All nodes that it depends on, or all that depend on it, are decided before. The
// first rule that gives a reason counts.
func (p *planner) decide(node, wave int) Step {
	s := Step{ID: p.objects[node].ID, Action: Apply, Wave: wave}
	if p.inPruneSet(node) {
		s.Action, s.Pruning = Prune, true
		return firstReason(s, node, p.kept, p.owned, p.vacant, p.unneeded, p.distinct)
	}
	text, _ := p.objects[node].annotation(ApplyTimeMutation)
	s.Mutations, _ = readMutations(text) // newGraph reported the errors
	s = firstReason(s, node, p.owned, p.supported, p.accepted)
	if uid := p.uid(s.ID); s.Action == Apply && uid != "" {
		p.applied[uid] = s.ID
	}
	return s
}

// firstReason applies rules to a step until one gives a reason. A rule returns the step of a node unchanged, or with
// another action and a reason.
func firstReason(s Step, node int, rules ...func(s Step, node int) Step) Step {
	for _, rule := range rules {
		if s = rule(s, node); s.Reason != None {
			return s
		}
	}
	return s
}

// supported skips an object that depends on one that is not applied (rules/live: the prune set; rules/live: errors).
func (p *planner) supported(s Step, node int) Step {
	for _, to := range p.graph.to[node] {
		switch other := p.objects[to].ID; {
		case p.inPruneSet(to):
			return s.skip(DependencyPruned, other)
		case p.decided[to].Action != Apply:
			return s.skip(DependencySkipped, other)
		}
	}
	return s
}

// accepted skips an object that the server would refuse.
func (p *planner) accepted(s Step, _ int) Step {
	if p.in.Refused != nil && p.in.Refused(s.ID) {
		return s.skip(Refused, identity.ID{})
	}
	return s
}

// vacant skips a Namespace that has a resource of the config, or the inventory (rules/live: the prune set).
func (p *planner) vacant(s Step, _ int) Step {
	if other, found := p.inhabitants[s.ID.Name]; found && s.ID.Group == "" && s.ID.Kind == "Namespace" {
		return s.skip(Inhabited, other)
	}
	return s
}

// unneeded skips an object on which one depends that stays (rules/live: the prune set).
func (p *planner) unneeded(s Step, node int) Step {
	for _, from := range p.graph.from[node] {
		switch other := p.objects[from].ID; {
		case !p.inPruneSet(from):
			return s.skip(DependentApplied, other)
		case p.decided[from].Action != Prune:
			return s.skip(DependentStays, other)
		}
	}
	return s
}

// distinct skips a live object that was just applied: an inventory may list it in its former group.
func (p *planner) distinct(s Step, _ int) Step {
	if other, found := p.applied[p.uid(s.ID)]; found {
		return s.skip(SameObject, other)
	}
	return s
}

// Annotations that keep a live object from being pruned (rules/live: the prune set). Only these values count.
const (
	OnRemove, OnRemoveKeep   = "cli-utils.sigs.k8s.io/on-remove", "keep"
	Deletion, DeletionDetach = "client.lifecycle.config.k8s.io/deletion", "detach"
)

// owned skips a live object of another owner (rules/live: owners): an object of another inventory is never taken, and
// one of none only by Adopt.
func (p *planner) owned(s Step, _ int) Step {
	at, isLive := p.live[s.ID]
	if !isLive {
		return s
	}
	switch owner, found := p.in.Live[at].annotation(OwningInventory); {
	case !found && !p.in.Adopt:
		s = s.skip(Unowned, identity.ID{})
		s.Annotation = OwningInventory
	case found && owner != p.in.Inventory.ID:
		s = s.skip(Foreign, identity.ID{})
		s.Annotation, s.Value = OwningInventory, owner
	}
	return s
}

// kept keeps a live object with an annotation against pruning, whoever owns it (rules/live: the prune set).
func (p *planner) kept(s Step, node int) Step {
	for _, stay := range [][2]string{{OnRemove, OnRemoveKeep}, {Deletion, DeletionDetach}} {
		if value, found := p.objects[node].annotation(stay[0]); found && value == stay[1] {
			s.Action, s.Reason, s.Annotation, s.Value = Keep, Annotated, stay[0], value
			return s
		}
	}
	return s
}

// checkConfig finds duplicate resources (rules/apply: the strategy apply), and a config that would prune everything
// (rules/live: the prune set).
func (p *planner) checkConfig() (problems []Problem) {
	seen := make(map[identity.ID]int, len(p.in.Config))
	for _, o := range p.in.Config {
		if seen[o.ID]++; seen[o.ID] == 2 {
			problems = append(problems, Problem{Kind: Duplicate, Object: o.ID})
		}
	}
	if v := p.in.Inventory; len(p.in.Config) == 0 && len(v.Resources) > 0 && !p.in.MayBeEmpty {
		problems = append(problems, Problem{Kind: Emptied, Object: v.Object, Detail: wording.Plural(len(v.Resources), "resource")})
	}
	return problems
}

// listed returns the entries of the inventory after the apply (rules/live: the inventory afterwards): the applied
// resources in the order of the config, then the former entries that are not applied, then the entries that are not pruned.
// Kept resources, and those just applied in another group, are gone.
func (p *planner) listed() (ids []identity.ID) {
	skipped := map[identity.ID]Step{}
	for _, s := range p.decided {
		switch {
		case s.Action == Apply:
			ids = append(ids, s.ID)
		case s.Action == Skip && s.Reason != SameObject:
			skipped[s.ID] = s
		}
	}
	// kpt lists refused resources first, then other resources of the config, then the prune set.
	phases := []func(Step) bool{
		func(s Step) bool { return s.Reason == Refused },
		func(s Step) bool { return !s.Pruning },
		func(s Step) bool { return s.Pruning },
	}
	for _, isInPhase := range phases {
		for _, id := range p.in.Inventory.Resources {
			if s, found := skipped[id]; found && isInPhase(s) {
				ids = append(ids, id)
				delete(skipped, id)
			}
		}
	}
	return ids
}

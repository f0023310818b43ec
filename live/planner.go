package live

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

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

// pruneSet is what the inventory lists, the config has not, and is live (design 15.3).
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

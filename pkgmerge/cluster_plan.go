package pkgmerge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
)

// makePlan makes the plan of matches where the package or the cluster has an inventory:
// without one, nothing is pruned, and there is no order but the config's.
func (c *cluster) makePlan(matches []*Match) ([]*Match, error) {
	hasInventory := len(c.inventories) > 0
	for _, r := range c.packages[identity.Local].Resources {
		hasInventory = hasInventory || r.isInventory()
	}
	if c.config == identity.Local || !hasInventory {
		return matches, nil
	}
	p := &plan{steps: map[identity.ID]*live.Step{}}
	inventory, err := c.readPlan(p, matches)
	if err != nil || inventory == nil {
		return matches, err
	}
	p.input.Inventory, p.holder = inventory, inventory.Object
	if p.Plan, err = live.New(p.input); err != nil {
		return nil, err
	}
	for i := range p.Steps {
		p.steps[p.Steps[i].ID] = &p.Steps[i]
	}
	c.plan = p
	for _, m := range matches {
		m.plan = p
	}
	if inventory.Live {
		return matches, nil
	}
	created, err := c.newInventory(p)
	return append(matches, created), err
}

// readPlan reads what a plan is made of, and chooses the inventory.
func (c *cluster) readPlan(p *plan, matches []*Match) (*live.Inventory, error) {
	own := make([]live.Object, 0, len(c.inventories))
	for _, r := range c.inventories {
		tree, err := r.Tree()
		if err != nil {
			return nil, err
		}
		own = append(own, live.Object{ID: r.Meta.PlainID(), Node: tree})
	}
	of := map[*Resource]*Match{}
	for _, m := range matches {
		of[m.Versions[identity.Upstream]], of[m.Versions[identity.Local]] = m, m
	}
	var objects [3][]live.Object
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for _, r := range c.packages[side].Resources {
			tree, err := r.Tree()
			if err != nil {
				return nil, err
			}
			objects[side] = append(objects[side], live.Object{ID: of[r].ID, Node: tree})
		}
	}
	p.input.Config, p.input.Live = objects[identity.Upstream], objects[identity.Local]
	p.input.Policy, p.input.MayBeEmpty = c.policy, c.mayBeEmpty
	named, err := live.Own(own)
	if err != nil {
		return nil, err
	}
	return live.Choose(named, p.input.Live)
}

// newInventory is the match of an inventory that the cluster does not have yet: it comes
// into a file of its own.
func (c *cluster) newInventory(p *plan) (*Match, error) {
	text, err := NewResource("", 0, p.Inventory()).YAML()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.input.Inventory, err)
	}
	u := &c.packages[identity.Upstream]
	name := "inventory.yaml"
	for n := 1; u.content(name) != nil || c.packages[identity.Local].content(name) != nil; n++ {
		name = fmt.Sprintf("inventory-%d.yaml", n)
	}
	file := newContent(&File{Name: name, Mode: 0o644, Data: text})
	if u.contents != nil {
		u.contents = append(slices.Clone(u.contents), file)
		slices.SortFunc(u.contents, func(a, b *content) int { return strings.Compare(a.Name, b.Name) })
	}
	r := file.resources[0]
	u.Resources = append(u.Resources, r)
	m := c.object(map[*Resource]identity.ID{r: p.holder}, r, nil)
	m.plan = p
	return m, nil
}

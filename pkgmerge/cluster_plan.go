package pkgmerge

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
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

// plan is what `kpt live apply` does with a package that has an inventory (rules/live:
// plans).
type plan struct {
	*live.Plan
	input live.Input
	// steps are those of the plan, by object.
	steps map[identity.ID]*live.Step
	// holder is the object of the inventory.
	holder identity.ID
}

// isInventory reports whether a resource names an inventory: a ResourceGroup or a ConfigMap
// that has an id, or the Kptfile of the package if it has a field inventory (rules/live:
// the inventory).
func (r *Resource) isInventory() bool {
	isKptfile := r.isKptfile() && path.Dir(r.File) == "."
	isGroup := identity.Group(r.Meta.APIVersion) == "kpt.dev" && r.Meta.Kind == "ResourceGroup"
	isMap := identity.Group(r.Meta.APIVersion) == "" && r.Meta.Kind == "ConfigMap"
	says := "inventory"
	if !isKptfile {
		says = live.InventoryID
	}
	if !isKptfile && !isGroup && !isMap || r.in == nil && !bytes.Contains(r.item.Text(), []byte(says)) {
		return false
	}
	tree, err := r.Tree()
	switch {
	case err != nil:
		return false
	case isKptfile:
		return yamlnode.Field(tree, "inventory") != nil
	}
	return yamlnode.Lookup(tree, "metadata", "labels", live.InventoryID) != nil
}

// refused makes the plan again where the server would refuse objects: what depends on
// them is skipped (rules/live: errors).
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

// step is what the plan does with an object, nil without a plan and for what is not in it.
func (m *Match) step() *live.Step {
	if m.plan == nil {
		return nil
	}
	return m.plan.steps[m.ID]
}

// planned is the outcome of an object that a plan does not apply.
func (m *Match) planned() (out merge.Outcome, found bool, err error) {
	s := m.step()
	switch {
	case m.plan == nil:
		return out, false, nil
	case m.ID == m.plan.holder:
		out, err = m.replacedBy(m.plan.Inventory())
		return out, true, err
	case s == nil || s.Action == live.Apply:
		return out, false, nil
	case s.Action == live.Skip:
		return take(m, identity.Local), true, nil
	case s.Action == live.Prune:
		return merge.Outcome{Verdict: merge.Drop}, true, nil
	}
	trees, err := m.Trees()
	if err != nil {
		return out, true, err
	}
	out, err = m.replacedBy(released(trees[identity.Local]))
	return out, true, err
}

// released is a live object that belongs to no inventory any more.
func released(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	annotations := yamlnode.Field(metadata, "annotations")
	if yamlnode.Annotation(n, live.OwningInventory) == "" {
		return n
	}
	left := yamlnode.Without(annotations, func(name string) bool { return name == live.OwningInventory })
	if len(left.Content) == 0 {
		metadata = yamlnode.Without(metadata, func(name string) bool { return name == "annotations" })
	} else {
		metadata = yamlnode.Put(metadata, nil, "annotations", left)
	}
	return yamlnode.WithField(n, "metadata", metadata)
}

// replacedBy is the outcome that is a tree.
func (m *Match) replacedBy(tree *yaml.Node) (merge.Outcome, error) {
	trees, err := m.Trees()
	switch {
	case err != nil:
		return merge.Outcome{}, err
	case !m.Has(identity.Local):
		return merge.Outcome{Verdict: merge.TakeUpstream, Node: tree}, nil
	case merge.Same(tree, trees[identity.Local]):
		return take(m, identity.Local), nil
	}
	return merge.Outcome{Verdict: merge.MergeParts, Node: tree}, nil
}

// owned is config with the annotation that says which inventory an object belongs to
// (rules/live: owners).
func (m *Match) owned(config *yaml.Node) *yaml.Node {
	if m.plan == nil || m.plan.Owner == "" || m.ID == m.plan.holder {
		return config
	}
	return annotated(config, live.OwningInventory, yamlnode.String(m.plan.Owner))
}

// Applied is what an apply does to a cluster.
type Applied struct {
	// Strategy is the name of the strategy.
	Strategy string
	// Steps are what is done to each object, in the order in which config has them, or in
	// that of the plan where there is an inventory (rules/live: plans).
	Steps []*Step
}

// Step is what an apply does to one object (rules/apply: results of an apply).
type Step struct {
	// Change is nil for an object that the inventory lists and that is neither in config nor
	// live.
	*Change
	// Does is create, update or unchanged, and in a plan also prune, keep or skip.
	Does string
	// Fields is how many fields of the live object change, but for those that keep the
	// books of the apply.
	Fields int
	// Planned is the step of the plan, nil where there is no inventory.
	Planned *live.Step
}

// Object is the object that the step is about.
func (s *Step) Object() identity.ID {
	if s.Planned != nil {
		return s.Planned.ID
	}
	return s.ID
}

// What a step does.
const (
	Creates = "create"
	Updates = "update"
	Leaves  = "unchanged"
	Prunes  = "prune"
	Keeps   = "keep"
	Skips   = "skip"
)

// Count is how many steps do one thing.
func (a *Applied) Count(does string) int {
	count := 0
	for _, s := range a.Steps {
		if s.Does == does {
			count++
		}
	}
	return count
}

package apply

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// makePlan makes the plan of matches where the package or the cluster has an inventory:
// without one, nothing is pruned, and there is no order but the config's.
func (r *run) makePlan(matches []*pkgmerge.Match) ([]*pkgmerge.Match, error) {
	if len(r.inventories) == 0 && !slices.ContainsFunc(r.packages[identity.Local].Resources, isInventory) {
		return matches, nil
	}
	p := &plan{steps: map[identity.ID]*live.Step{}}
	inventory, err := r.readPlan(p, matches)
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
	r.plan = p
	if inventory.Live {
		return matches, nil
	}
	created, err := r.newInventory(p)
	return append(matches, created), err
}

// readPlan reads what a plan is made of, and chooses the inventory.
func (r *run) readPlan(p *plan, matches []*pkgmerge.Match) (*live.Inventory, error) {
	own := make([]live.Object, 0, len(r.inventories))
	for _, i := range r.inventories {
		tree, err := i.Tree()
		if err != nil {
			return nil, err
		}
		own = append(own, live.Object{ID: i.Meta.PlainID(), Node: tree})
	}
	of := map[*pkgmerge.Resource]*pkgmerge.Match{}
	for _, m := range matches {
		of[m.Versions[identity.Upstream]], of[m.Versions[identity.Local]] = m, m
	}
	var objects [3][]live.Object
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for _, o := range r.packages[side].Resources {
			tree, err := o.Tree()
			if err != nil {
				return nil, err
			}
			objects[side] = append(objects[side], live.Object{ID: of[o].ID, Node: tree})
		}
	}
	p.input.Config, p.input.Live = objects[identity.Upstream], objects[identity.Local]
	p.input.Policy, p.input.MayBeEmpty = r.policy, r.mayBeEmpty
	named, err := live.Own(own)
	if err != nil {
		return nil, err
	}
	return live.Choose(named, p.input.Live)
}

// newInventory is the match of an inventory that the cluster does not have yet: it comes
// into a file of its own.
func (r *run) newInventory(p *plan) (*pkgmerge.Match, error) {
	text, err := pkgmerge.NewResource("", 0, p.Inventory()).YAML()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.input.Inventory, err)
	}
	name := "inventory.yaml"
	for n := 1; r.hasFile(name); n++ {
		name = fmt.Sprintf("inventory-%d.yaml", n)
	}
	u := &r.packages[identity.Upstream]
	if *u, err = u.WithFile(pkgmerge.File{Name: name, Mode: 0o644, Data: text}); err != nil {
		return nil, err
	}
	created := u.Resources[len(u.Resources)-1]
	return newMatch(map[*pkgmerge.Resource]identity.ID{created: p.holder}, created, nil), nil
}

// hasFile reports whether the config or the live objects have a file of a name.
func (r *run) hasFile(name string) bool {
	is := func(f pkgmerge.File) bool { return f.Name == name }
	return slices.ContainsFunc(r.packages[identity.Upstream].Files, is) || slices.ContainsFunc(r.packages[identity.Local].Files, is)
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
func isInventory(r *pkgmerge.Resource) bool {
	group, kind := identity.Group(r.Meta.APIVersion), r.Meta.Kind
	isKptfile := group == "kpt.dev" && kind == "Kptfile" && (r.File == "" || r.File == "Kptfile")
	isGroup, isMap := group == "kpt.dev" && kind == "ResourceGroup", group == "" && kind == "ConfigMap"
	if !isKptfile && !isGroup && !isMap {
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
func (p *plan) refused(changes []*pkgmerge.Change) error {
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
func (r *run) step(m *pkgmerge.Match) *live.Step {
	if r.plan == nil {
		return nil
	}
	return r.plan.steps[m.ID]
}

// planned is the outcome of an object that a plan does not apply.
func (r *run) planned(m *pkgmerge.Match) (out merge.Outcome, found bool, err error) {
	s := r.step(m)
	switch {
	case r.plan == nil:
		return out, false, nil
	case m.ID == r.plan.holder:
		out, err = replacedBy(m, r.plan.Inventory())
		return out, true, err
	case s == nil || s.Action == live.Apply:
		return out, false, nil
	case s.Action == live.Skip && m.Has(identity.Local):
		return merge.Outcome{Verdict: merge.TakeLocal}, true, nil
	case s.Action == live.Skip:
		return merge.Outcome{Verdict: merge.Drop}, true, nil
	case s.Action == live.Prune:
		return merge.Outcome{Verdict: merge.Drop}, true, nil
	}
	trees, err := m.Trees()
	if err != nil {
		return out, true, err
	}
	out, err = replacedBy(m, released(trees[identity.Local]))
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
func replacedBy(m *pkgmerge.Match, tree *yaml.Node) (merge.Outcome, error) {
	trees, err := m.Trees()
	switch {
	case err != nil:
		return merge.Outcome{}, err
	case !m.Has(identity.Local):
		return merge.Outcome{Verdict: merge.TakeUpstream, Node: tree}, nil
	case merge.Same(tree, trees[identity.Local]):
		return merge.Outcome{Verdict: merge.TakeLocal}, nil
	}
	return merge.Outcome{Verdict: merge.MergeParts, Node: tree}, nil
}

// withOwner is config with the annotation that says which inventory an object belongs to
// (rules/live: owners).
func (r *reading) withOwner(config *yaml.Node) *yaml.Node {
	p := r.run.plan
	if p == nil || p.Owner == "" || r.match.ID == p.holder {
		return config
	}
	return annotated(config, live.OwningInventory, yamlnode.String(p.Owner))
}

// mutated is config in which the fields that get values of other objects when it is
// applied have the values that live has there now: the plan does not know others
// (rules/live: mutations).
func (r *reading) mutated(config *yaml.Node) *yaml.Node {
	s := r.run.step(r.match)
	if s == nil || !r.match.Has(identity.Local) {
		return config
	}
	for _, mutation := range s.Mutations {
		if path, ok := fieldSteps(mutation.TargetPath); ok {
			config = withLive(config, r.trees[identity.Local], path)
		}
	}
	return config
}

// fieldSteps are the names and indexes of a path such as $.spec.hosts[0].name. Any other
// query finds nothing that is sure.
func fieldSteps(path string) (steps []string, ok bool) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "$"), "[", ".")
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		step = strings.Trim(strings.TrimSuffix(step, "]"), `'"`)
		if step == "" || strings.ContainsAny(step, "*?@(]") {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

// withLive is a value with live's at a path, if both have the path.
func withLive(config, live *yaml.Node, path []string) *yaml.Node {
	switch {
	case len(path) == 0:
		return live
	case config == nil || live == nil || config.Kind != live.Kind:
		return config
	}
	to, from := childAt(config, path[0]), childAt(live, path[0])
	if to < 0 || from < 0 {
		return config
	}
	out := *config
	out.Content = slices.Clone(config.Content)
	out.Content[to] = withLive(config.Content[to], live.Content[from], path[1:])
	return &out
}

// childAt is where a field or an element is in the content of a value, -1 if it has none.
func childAt(n *yaml.Node, step string) int {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return i + 1
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return i
		}
	}
	return -1
}

package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/live"
	"github.com/resource-merge/resource-merge/merge"
)

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
// (design 15.2).
func (m *Match) owned(config *yaml.Node) *yaml.Node {
	if m.plan == nil || m.plan.Owner == "" || m.ID == m.plan.holder {
		return config
	}
	return annotated(config, live.OwningInventory, yamlnode.String(m.plan.Owner))
}

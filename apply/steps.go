package apply

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

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
	*pkgmerge.Change
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

// Of returns what an apply did, nil for the result of any other merge.
func Of(result *pkgmerge.Result) *Applied {
	if r, is := result.Run.(*run); is {
		return r.applied
	}
	return nil
}

// steps are the steps of the apply.
func (r *run) steps(changes []*pkgmerge.Change) *Applied {
	out := &Applied{Strategy: r.name}
	if p := r.plan; p != nil {
		of := make(map[identity.ID]*pkgmerge.Change, len(changes))
		for _, change := range changes {
			of[change.ID] = change
		}
		for i := range p.Steps {
			out.Steps = append(out.Steps, r.newStep(of[p.Steps[i].ID], &p.Steps[i]))
		}
		return out
	}
	of := make(map[*pkgmerge.Resource]*pkgmerge.Change, len(changes))
	for _, change := range changes {
		if u := change.Versions[identity.Upstream]; u != nil {
			of[u] = change
		}
	}
	for _, config := range r.packages[identity.Upstream].Resources {
		out.Steps = append(out.Steps, r.newStep(of[config], nil))
	}
	return out
}

// newStep is what is done to an object; planned is nil without a plan.
func (r *run) newStep(c *pkgmerge.Change, planned *live.Step) *Step {
	s := &Step{Change: c, Does: Leaves, Planned: planned}
	switch {
	case c == nil:
		s.Does = Prunes
	case planned != nil && planned.Action != live.Apply:
		s.Does = planned.Action.String()
	case c.Action == pkgmerge.Added:
		s.Does = Creates
	case c.Action == pkgmerge.Changed:
		s.Does, s.Fields = Updates, r.objects[c.ID].fields
	}
	return s
}

// isOnlyLastApplied reports whether a live object without annotations gets no other one.
func isOnlyLastApplied(p parts.Part) bool {
	names := yamlnode.Names(p.Value)
	return p.Local.Value == nil && len(names) == 1 && names[0] == lastapplied.Annotation
}

// changedFields is how many fields a part of a result differs in from local's version:
// what is added or removed as a whole is one, and the annotation last-applied and
// managedFields none.
func changedFields(p parts.Part) int {
	switch {
	case p.Key != nil && (p.Key.Value == lastapplied.Annotation || p.Key.Value == "managedFields"), p.Key != nil && p.Key.Value == "annotations" && isOnlyLastApplied(p):
		return 0
	case p.Local.Value == nil:
		return 1
	case p.Parts == nil && (p.From == parts.Local || merge.Same(p.Value, p.Local.Value)):
		return 0
	case p.Parts == nil:
		return 1
	}
	changed, kept := 0, 0
	for _, part := range p.Parts {
		if part.Local.Value != nil {
			kept++
		}
		changed += changedFields(part)
	}
	had := len(p.Local.Value.Content)
	if p.Local.Value.Kind == yaml.MappingNode {
		had /= 2
	}
	return changed + had - kept
}

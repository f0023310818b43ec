package pkgmerge

import (
	"cmp"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
)

// newCluster is what a run knows of live objects, nil if it has none.
func (m *merger) newCluster() *cluster {
	if s, is := m.strategy.(applying); is {
		return &cluster{
			packages: &m.packages, newMatch: m.newMatch, config: identity.Upstream, live: identity.Local,
			namespace: cmp.Or(s.defaultNamespace(), "default"), read: s.read,
			policy: s.inventoryPolicy(), mayBeEmpty: m.options.MayBeEmpty,
		}
	}
	if from := m.options.FromLive; from != nil {
		return &cluster{
			packages: &m.packages, newMatch: m.newMatch, config: identity.Local, live: identity.Upstream,
			namespace: cmp.Or(from.Namespace, "default"), read: (*cluster).readDrift, adopt: from.Adopt,
		}
	}
	return nil
}

// applied are the steps of an apply, nil where live objects are merged into a package.
func (m *merger) applied(changes []*Change) *Applied {
	if !m.isApply() {
		return nil
	}
	out := &Applied{Strategy: m.strategy.Name()}
	if p := m.cluster.plan; p != nil {
		of := make(map[identity.ID]*Change, len(changes))
		for _, change := range changes {
			of[change.ID] = change
		}
		for i := range p.Steps {
			out.Steps = append(out.Steps, newStep(of[p.Steps[i].ID], &p.Steps[i]))
		}
		return out
	}
	of := make(map[*Resource]*Change, len(changes))
	for _, change := range changes {
		if u := change.Versions[identity.Upstream]; u != nil {
			of[u] = change
		}
	}
	for _, r := range m.packages[identity.Upstream].Resources {
		out.Steps = append(out.Steps, newStep(of[r], nil))
	}
	return out
}

// newStep is what is done to an object; planned is nil without a plan.
func newStep(c *Change, planned *live.Step) *Step {
	s := &Step{Change: c, Does: Leaves, Planned: planned}
	switch {
	case c == nil:
		s.Does = Prunes
	case planned != nil && planned.Action != live.Apply:
		s.Does = planned.Action.String()
	case c.Action == Added:
		s.Does = Creates
	case c.Action == Changed:
		s.Does, s.Fields = Updates, s.fields
	}
	return s
}

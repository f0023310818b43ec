package pkgmerge

import (
	"cmp"

	"github.com/resource-merge/resource-merge/identity"
)

// newCluster is what a run knows of live objects, nil if it has none.
func (m *merger) newCluster() *cluster {
	if s, is := m.strategy.(applying); is {
		return &cluster{
			packages: &m.packages, newMatch: m.newMatch, config: identity.Upstream, live: identity.Local,
			namespace: cmp.Or(s.defaultNamespace(), "default"), read: s.read,
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
	of := make(map[*Resource]*Change, len(changes))
	for _, change := range changes {
		if u := change.Versions[identity.Upstream]; u != nil {
			of[u] = change
		}
	}
	out := &Applied{Strategy: m.strategy.Name()}
	for _, r := range m.packages[identity.Upstream].Resources {
		s := &Step{Change: of[r], Does: Leaves}
		switch s.Action {
		case Added:
			s.Does = Creates
		case Changed:
			s.Does, s.Fields = Updates, s.fields
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

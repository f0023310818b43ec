package pkgmerge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/merge"
)

// readDrift makes origin of what was applied last to a live object, and upstream of what
// somebody changed since then: of what origin lacks, what a manager owns whose fields are
// adopted (design 13.6). A live object that does not say what was applied changes nothing.
func (c *cluster) readDrift(m *Match) error {
	if !m.Has(identity.Upstream) {
		return nil
	}
	last, err := m.lastApplied(identity.Upstream)
	if err != nil {
		return err
	}
	live := m.trees[identity.Upstream]
	if last == nil {
		m.warn("the live object has no annotation " + lastapplied.Annotation + ": nothing of it is taken")
		m.trees[identity.Upstream] = nil
		return nil
	}
	if live, err = merge.Expanded(live); err != nil {
		return fmt.Errorf("%s: %w", m.Versions[identity.Upstream], err)
	}
	entries, err := owners(live)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Versions[identity.Upstream], err)
	}
	if len(entries) == 0 {
		c.unmanaged.Store(true)
	}
	var all *managed.Set
	for _, e := range entries {
		all = managed.Union(all, e.Fields)
	}
	meta := m.Versions[identity.Upstream].Meta
	kind := c.structured.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
	last = c.reduced(m, last)
	m.foldSecrets(&last, live)
	m.trees[identity.Origin] = last
	m.trees[identity.Upstream] = adopted(kind.Type, c.reduced(m, live), last, adoptedBy(entries, c.adopt), all)
	return nil
}

// adoptedBy is what the adopted managers own: by any operation, on the object or on any
// subresource but status. What the applier owns is no change.
func adoptedBy(entries managed.Entries, managers []string) *managed.Set {
	var out *managed.Set
	for _, e := range entries {
		if slices.Contains(managers, e.Manager) && e.Subresource != "status" && !isApplier(e) {
			out = managed.Union(out, e.Fields)
		}
	}
	return out
}

// reduced is a live object, or what was applied last, without what is not the package's.
func (c *cluster) reduced(m *Match, n *yaml.Node) *yaml.Node {
	return withoutBookkeeping(c.compared(m, n), func(name string) bool {
		switch name {
		case lastapplied.Annotation, "config.k8s.io/owning-inventory", "deployment.kubernetes.io/revision":
			return true
		}
		return false
	})
}

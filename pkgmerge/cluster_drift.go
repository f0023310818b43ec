package pkgmerge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// readDrift makes origin of what was applied last to a live object, and upstream of what
// somebody changed since then: of what origin lacks, what a manager owns whose fields are
// adopted (rules/apply: drift back into the package). A live object that does not say what
// was applied changes nothing.
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

// FromLive says that upstream is live objects, of which each has origin in its annotation
// last-applied: what was changed in a cluster comes back into the package (rules/apply:
// drift back into the package).
type FromLive struct {
	// Namespace is that of resources which name none; "" is default.
	Namespace string
	// Adopt are the managers whose fields are taken where origin has nothing.
	Adopt []string
}

// adopted takes off a live value what nobody meant for the package: fields that were not
// applied, and that no adopted manager owns. Those are the server's defaults, and what
// belongs to controllers (rules/apply: drift back into the package). It is nil if
// nothing is left.
//
// last is what was applied there, nil if nothing was; mine is what the adopted managers
// own, and all what anybody owns, at the place and below it.
func adopted(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	switch {
	case last == nil && mine.Empty():
		return nil
	case last == nil && !mine.HasBelow(), last != nil && last.Kind != live.Kind, live.Kind == yaml.ScalarNode:
		return live
	case live.Kind == yaml.MappingNode:
		return adoptedFields(typ, live, last, mine, all)
	case live.Kind == yaml.SequenceNode && isKeyed(typ, all):
		return adoptedElements(typ, live, last, mine, all)
	case last != nil && mine.Empty() && covers(live, last):
		return last
	}
	return live
}

func adoptedFields(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	out := *live
	out.Content = nil
	was := yamlnode.Fields(last)
	for i := 0; i+1 < len(live.Content); i += 2 {
		key, step := live.Content[i], managed.Field(live.Content[i].Value)
		v := adopted(typ.Field(key.Value), live.Content[i+1], was(key.Value), mine.Below(step), all.Below(step))
		if v != nil {
			out.Content = append(out.Content, key, v)
		}
	}
	if last == nil && len(out.Content) == 0 {
		return nil
	}
	return &out
}

// isKeyed reports whether the elements of a list are owned one by one.
func isKeyed(typ *schema.Type, all *managed.Set) bool {
	if typ != nil && (typ.Relation == schema.ListMap || typ.Relation == schema.Set) {
		return true
	}
	for step := range all.Children() {
		if _, field := step.FieldName(); !field {
			return true
		}
	}
	return false
}

// adoptedElements takes elements by their keys. An element that is taken has its key.
func adoptedElements(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	out := *live
	out.Content = nil
	var known managed.Elements
	were := newAppliedElements(yamlnode.Elements(last))
	for i, e := range live.Content {
		step := stepTo(typ, &known, all, e, i)
		was := were.find(e, step.KeyNames())
		v := adopted(typ.Element(), e, was, mine.Below(step), all.Below(step))
		if v == nil {
			continue
		}
		if was == nil && v.Kind == yaml.MappingNode {
			v = withKey(v, e, step.KeyNames())
		}
		out.Content = append(out.Content, v)
	}
	if last == nil && len(out.Content) == 0 {
		return nil
	}
	return &out
}

// stepTo is the step to an element, as managedFields have it.
func stepTo(typ *schema.Type, known *managed.Elements, all *managed.Set, element *yaml.Node, index int) managed.Step {
	if step, ok := known.StepTo(all, element, index); ok {
		return step
	}
	if typ == nil || typ.Relation != schema.ListMap {
		return managed.Value(element)
	}
	var parts []managed.KeyPart
	for _, k := range typ.Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: yamlnode.Field(element, k.Name)})
	}
	return managed.Key(parts...)
}

// withKey is an element with the fields of its key, in the order of the live one.
func withKey(v, live *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if field := yamlnode.Field(live, name); field != nil && yamlnode.Field(v, name) == nil {
			v = yamlnode.Put(v, live, name, field)
		}
	}
	return v
}

// covers reports whether a value has all that another has, and differs from it in nothing
// but fields that the other lacks: defaults.
func covers(live, last *yaml.Node) bool {
	if live.Kind != last.Kind {
		return false
	}
	switch live.Kind {
	case yaml.MappingNode:
		field := yamlnode.Fields(live)
		for i := 0; i+1 < len(last.Content); i += 2 {
			v := field(last.Content[i].Value)
			if v == nil || !covers(v, last.Content[i+1]) {
				return false
			}
		}
		return true
	case yaml.SequenceNode:
		return slices.EqualFunc(live.Content, last.Content, covers)
	}
	return merge.Same(live, last)
}

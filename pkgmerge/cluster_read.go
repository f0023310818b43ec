package pkgmerge

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// readLastApplied makes upstream of config what kubectl would compare: without comments
// and without what only the server sets, with the annotation last-applied. It makes
// origin of that annotation of the live object (design 13.1, 13.3).
func (c *cluster) readLastApplied(m *Match) error {
	if !m.Has(identity.Upstream) {
		return nil
	}
	config, err := c.configOf(m)
	if err != nil {
		return err
	}
	text, err := lastapplied.Write(config)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Versions[identity.Upstream], err)
	}
	last, err := m.lastApplied(identity.Local)
	if err != nil {
		return err
	}
	m.stale = preconditions(config, m.trees[identity.Local], false)
	upstream := c.compared(m, config)
	if last != nil {
		last = c.compared(m, last)
		if was, is := apiVersionOf(last), apiVersionOf(upstream); was != "" && was != is {
			m.warn(fmt.Sprintf("last applied as %s, and config is %s: the fields of both are compared by their names", was, is))
		}
		m.foldSecrets(&last, upstream)
	}
	upstream = folded(upstream, nil)
	upstream = annotated(upstream, lastapplied.Annotation, literal(text))
	if l := m.trees[identity.Local]; last != nil {
		last = annotated(last, lastapplied.Annotation, yamlnode.String(yamlnode.Annotation(l, lastapplied.Annotation)))
	} else if l != nil {
		m.warn("the live object has no annotation " + lastapplied.Annotation + ": nothing counts as removed from config")
	}
	m.trees[identity.Origin], m.trees[identity.Upstream] = last, upstream
	return nil
}

// lastApplied is the config that the live object on a side was given last, nil if it does
// not say, and where there is no live object.
func (m *Match) lastApplied(side identity.Side) (*yaml.Node, error) {
	l := m.trees[side]
	if l == nil {
		return nil, nil
	}
	last, err := lastapplied.Read(yamlnode.Annotation(l, lastapplied.Annotation))
	if err != nil {
		return nil, fmt.Errorf("%s: annotation %s: %w", m.Versions[side], lastapplied.Annotation, err)
	}
	return last, nil
}

// readOwned makes upstream of config what a server would compare: without comments and
// without what only the server sets (design 13.1). There is no origin: managedFields of
// the live object say what was applied (14).
func (c *cluster) readOwned(m *Match) error {
	if !m.Has(identity.Upstream) {
		return nil
	}
	config, err := c.configOf(m)
	if err != nil {
		return err
	}
	m.stale = preconditions(config, m.trees[identity.Local], true)
	claimed := yamlnode.Lookup(config, "metadata", "managedFields")
	upstream := c.compared(m, config)
	if claimed != nil { // is refused
		upstream = yamlnode.Put(upstream, nil, "metadata", yamlnode.Put(mappingOf(yamlnode.Field(upstream, "metadata")), nil, "managedFields", claimed))
	}
	m.trees[identity.Upstream] = upstream
	return nil
}

// configOf is the config as kubectl reads it: in the namespace where it goes, without
// comments, and with the plain words of YAML 1.1 as booleans.
func (c *cluster) configOf(m *Match) (*yaml.Node, error) {
	r := m.Versions[identity.Upstream]
	n, err := merge.Expanded(m.trees[identity.Upstream])
	if fault := (*merge.Fault)(nil); asFault(err, &fault) {
		return nil, faulty(r, fault)
	}
	reading := asKubectl{}
	n = reading.tree(n)
	for _, word := range reading.words {
		m.warn(fmt.Sprintf("config has the plain word %s, which kubectl reads as a boolean; quote it if it is text", word))
	}
	metadata := yamlnode.Field(n, "metadata")
	if m.ID.Namespace != "" && yamlnode.Text(yamlnode.Field(metadata, "namespace")) == "" {
		n = yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "namespace", yamlnode.String(m.ID.Namespace)))
	}
	return m.mutated(m.owned(n)), nil
}

// serverFields are the fields of metadata that the server alone sets: they are never
// compared, and never a change (design 13.1).
func serverFields(name string) bool {
	switch name {
	case "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds":
		return true
	}
	return false
}

// compared is config without what is never compared.
func (c *cluster) compared(m *Match, n *yaml.Node) *yaml.Node {
	apiVersion := apiVersionOf(n)
	if c.schema.HasStatus(identity.Group(apiVersion), identity.Version(apiVersion), m.ID.Kind) {
		n = yamlnode.Without(n, func(name string) bool { return name == "status" })
	}
	metadata := yamlnode.Field(n, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool {
		return serverFields(name) || name == "namespace" && m.ID.Namespace == ""
	}))
}

package pkgmerge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// newSchema is what is known about the kinds of the resources (design 4): the
// rules of the options, the CRDs of the sides, and what is built in.
func (m *merger) newSchema() (*schema.Schema, error) {
	var items []*resourcelist.Item
	ruled := map[string]bool{}
	for _, rule := range m.options.Lists {
		ruled[rule.Kind] = true
	}
	for _, r := range m.resources() {
		if ruled[r.Meta.Kind] {
			items = append(items, r.item)
		}
	}
	if err := resourcelist.Parse(items); err != nil {
		return nil, err
	}
	crds, err := m.definitions()
	if err != nil {
		return nil, err
	}
	if s, is := m.strategy.(applying); is {
		return schema.NewColumn(s.column(), crds), nil
	}
	return schema.New(m.options.Lists, crds, !m.options.NoInference), nil
}

// definitions are the CRDs of the sides, in the order in which they are asked. None is
// read before something is asked that a CRD may answer; and then nothing of most of
// their schemas: only of a kind and version that is merged (design 9).
func (m *merger) definitions() ([]schema.CRD, error) {
	var items []*resourcelist.Item
	m.defining = nil
	for _, side := range [3]identity.Side{identity.Upstream, identity.Local, identity.Origin} {
		for _, r := range m.packages[side].Resources {
			if r.isCRD() {
				items, m.defining = append(items, r.item), append(m.defining, r)
			}
		}
	}
	outlines, err := resourcelist.Outlines(items, "openAPIV3Schema")
	if err != nil {
		return nil, err
	}
	m.crds = make([]schema.CRD, len(items))
	for i := range m.crds {
		m.crds[i] = schema.CRD{
			Read:  func() *yaml.Node { return outlines()[i].Root },
			Value: func(n *yaml.Node) *yaml.Node { return outlines()[i].Value(n) },
		}
	}
	return m.crds, nil
}

// schemaWarnings tell of CRDs that could not be used.
func (m *merger) schemaWarnings() []Notice {
	var out []Notice
	for _, w := range m.schema.Warnings {
		is := func(crd schema.CRD) bool { return crd.Read() == w.CRD }
		out = append(out, Notice{Warning: true, Resource: m.defining[slices.IndexFunc(m.crds, is)], Path: w.Path, Text: w.Text})
	}
	return out
}

package pkgmerge

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ownFields returns the fields of a Kptfile that belong to the copy (rules/kptfiles: Kptfiles), and
// sourceFields the ones that tell where it comes from.
func ownFields() []string {
	return []string{"metadata.name", "metadata.namespace", "inventory", "status"}
}

func sourceFields() []string { return []string{"upstream", "upstreamLock"} }

// kptfileTrees returns the versions of a resource. In a Kptfile, the fields that belong to one side are
// unchanged on the others (rules/kptfiles: Kptfiles): the fields of the copy are local's. So is the source
// of the root package, which the update command writes; below the root the source is upstream's, if
// upstream has it.
func kptfileTrees(m *Match) ([3]*yaml.Node, error) {
	trees, err := m.Trees()
	l := trees[identity.Local]
	if err != nil || l == nil || !m.Newest().isKptfile() {
		return trees, err
	}
	own := ownFields()
	if path.Dir(m.Versions[identity.Local].File) == "." {
		own = append(own, sourceFields()...)
	} else {
		trees = agreeOnSource(trees)
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		for _, name := range own {
			trees[side] = yamlnode.CopyField(trees[side], l, strings.Split(name, "."))
		}
	}
	return trees, nil
}

// isOwnKptfile reports whether a match is the Kptfile of the root package, and only local has one. It
// stays under every strategy, and is not a change of the package (rules/kptfiles: Kptfiles).
func (m *Match) isOwnKptfile() bool {
	return m.onlyLocal() && m.Newest().isKptfile() && path.Dir(m.Newest().File) == "."
}

// agreeOnSource gives origin local's source of a subpackage if upstream has one, and else gives upstream
// origin's.
func agreeOnSource(trees [3]*yaml.Node) [3]*yaml.Node {
	o, u, l := trees[identity.Origin], trees[identity.Upstream], trees[identity.Local]
	if o == nil || u == nil {
		return trees
	}
	for _, name := range sourceFields() {
		if yamlnode.Field(u, name) != nil {
			trees[identity.Origin] = yamlnode.CopyField(trees[identity.Origin], l, []string{name})
		} else {
			trees[identity.Upstream] = yamlnode.CopyField(trees[identity.Upstream], o, []string{name})
		}
	}
	return trees
}

// same reports whether two sides have equal versions (rules/fields: equality), or neither has one.
func (m *Match) same(a, b identity.Side) (bool, error) {
	if m.sameText(a, b) {
		return true, nil
	}
	trees, err := kptfileTrees(m)
	return err == nil && merge.Same(trees[a], trees[b]), err
}

// newSchema returns the schema of the resources: the rules of the options, the CRDs of the sides, and the
// built-in kinds (rules/schemas: CRDs).
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
	return schema.New(m.options.Lists, crds, !m.options.NoInference), nil
}

// definitions returns the CRDs of the sides, in the order of their precedence. They are read on demand, and
// only the schemas of the merged kinds and versions (rules/reading: skimming).
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

// schemaWarnings tells of CRDs that could not be used.
func (m *merger) schemaWarnings() []Notice {
	var out []Notice
	for _, w := range m.schema.Warnings {
		is := func(crd schema.CRD) bool { return crd.Read() == w.CRD }
		out = append(out, Notice{Warning: true, Resource: m.defining[slices.IndexFunc(m.crds, is)], Path: w.Path, Text: w.Text})
	}
	return out
}

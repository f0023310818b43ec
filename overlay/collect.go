package overlay

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// pair finds the resources that the base and the fork build.
func (m *maker) pair(result *pkgmerge.Result, base, fork tree) error {
	for _, c := range result.Changes {
		versions, made, err := c.Contents()
		if err != nil {
			return err
		}
		p := &pair{change: c, versions: versions, fork: made, base: versions[identity.Upstream]}
		if p.base != nil && (!base.files[c.Versions[identity.Upstream].File] || !transform.IsResource(p.base)) {
			p.base = nil
		}
		if p.fork != nil && (!transform.IsResource(p.fork) || !fork.files[c.Result.File]) {
			p.fork = nil
		}
		for side, v := range versions {
			if v != nil && !transform.IsResource(v) {
				p.versions[side] = nil
			}
		}
		if transform.IsList(p.base) || transform.IsList(p.fork) {
			if !merge.Same(p.base, p.fork) {
				m.say(subject(p.target()), "", "it differs, and kustomize takes lists of resources apart")
			}
			continue
		}
		p.fork = withoutMergeComment(p.fork)
		if p.base == nil && p.fork == nil {
			strange := p.versions == [3]*yaml.Node{}
			m.leftOut(c, versions, strange, base, fork)
			if strange || fork.top() != nil {
				continue
			}
		}
		if p.target().Kind == "CustomResourceDefinition" && p.fork != nil {
			m.crds = append(m.crds, p.fork)
		}
		if p.base != nil {
			anywhere := patch.TargetOf(p.base)
			anywhere.Namespace = ""
			m.named[anywhere]++
		}
		m.pairs = append(m.pairs, p)
	}
	m.pairs = byName(m.pairs)
	return nil
}

// leftOut says that a document which differs is no resource that kustomize builds, or that
// kustomize does something else with it.
func (m *maker) leftOut(c *pkgmerge.Change, versions [3]*yaml.Node, strange bool, base, fork tree) {
	u, l, file := versions[identity.Upstream], versions[identity.Local], c.Newest().File
	switch {
	case c.Newest().Meta.Kind == "Kptfile", isKustomizationFile(file), u != nil && l != nil && merge.Same(u, l), u == nil && l == nil:
	case base.mentioned[file] && fork.mentioned[file]:
		m.say(file, "", "it differs, and the base uses it otherwise than as a resource")
	case strange && fork.top() == nil:
		m.say(file, "", "it differs, and kustomize builds no such document")
	}
}

// otherFiles says which other files differ. Those that the overlay has too are no more.
func (m *maker) otherFiles(result *pkgmerge.Result, brought map[string]bool, base, fork tree) {
	for _, f := range result.FileChanges {
		u, l := f.Versions[identity.Upstream], f.Versions[identity.Local]
		switch {
		case brought[f.Name], u == nil && l == nil, u != nil && l != nil && bytes.Equal(u.Data, l.Data):
		case base.mentioned[f.Name] && fork.mentioned[f.Name]:
			m.say(f.Name, "", "it differs, and the base uses it otherwise than as a resource")
		case base.mentioned[f.Name]: // what used it is said
		case f.Fault != "":
			m.say(f.Name, "", "none of its resources is in the overlay: "+f.Fault)
		default:
			m.say(f.Name, "", "it differs, and is no resource")
		}
	}
}

package overlay

import (
	"bytes"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// pair finds the resources that the base and the fork build.
func (m *maker) pair(result *pkgmerge.Result, trees [3]tree) error {
	for _, c := range result.Changes {
		versions, fork, err := c.Contents()
		if err != nil {
			return err
		}
		p := &pair{change: c, versions: versions, fork: fork, base: versions[identity.Upstream]}
		if u := c.Versions[identity.Upstream]; u != nil && (!trees[identity.Upstream].files[u.File] || !isResource(p.base)) {
			p.base = nil
		}
		local := trees[identity.Local]
		if p.fork != nil && (!isResource(p.fork) || c.Versions[identity.Local] != nil && !local.files[c.Versions[identity.Local].File]) {
			p.fork = nil
		}
		for side, v := range versions {
			if v != nil && !isResource(v) {
				p.versions[side] = nil
			}
		}
		if isList(p.base) || isList(p.fork) {
			if !merge.Same(p.base, p.fork) {
				m.say(subject(p.target()), "", "it differs, and kustomize takes lists of resources apart")
			}
			continue
		}
		p.fork = withoutMergeComment(p.fork)
		if p.base == nil && p.fork == nil && p.versions == [3]*yaml.Node{} {
			m.leftOut(c, versions)
			continue
		}
		if p.target().Kind == "CustomResourceDefinition" && p.fork != nil {
			m.crds = append(m.crds, p.fork)
		}
		m.pairs = append(m.pairs, p)
	}
	m.pairs = byName(m.pairs)
	return nil
}

// leftOut says that a document which differs is no resource that kustomize builds.
func (m *maker) leftOut(c *pkgmerge.Change, versions [3]*yaml.Node) {
	u, l := versions[identity.Upstream], versions[identity.Local]
	if c.Newest().Meta.Kind == "Kptfile" || u != nil && l != nil && merge.Same(u, l) || u == nil && l == nil {
		return
	}
	if name := path.Base(c.Newest().File); strings.HasPrefix(strings.ToLower(name), "kustomization") {
		return
	}
	m.say(c.Newest().File, "", "it differs, and kustomize builds no such document")
}

// kustomizations brings what the fork's kustomization does into the overlay's.
func (m *maker) kustomizations(trees [3]tree) {
	base, local := trees[identity.Upstream], trees[identity.Local]
	if local.top != nil {
		for _, field := range carry(m.kustomization, base.top, local.top) {
			m.say("kustomization.yaml", field, "it differs, and cannot be said on top of the base")
		}
	}
	for _, field := range base.acts {
		m.say("kustomization.yaml", field, "the base does this before the overlay's patches")
	}
}

// otherFiles says which other files differ.
func (m *maker) otherFiles(result *pkgmerge.Result) {
	for _, f := range result.FileChanges {
		u, l := f.Versions[identity.Upstream], f.Versions[identity.Local]
		if (u == nil) != (l == nil) || u != nil && !bytes.Equal(u.Data, l.Data) {
			m.say(f.Name, "", "it differs, and is no resource")
		}
	}
}

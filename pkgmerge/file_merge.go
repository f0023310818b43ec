package pkgmerge

import (
	"bytes"
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// mergeFiles merges the files that do not merge by structure (design 17.2).
func (m *merger) mergeFiles(result *Result) error {
	alone := map[string]bool{}
	for _, c := range result.Changes {
		if c.alone != "" {
			alone[c.alone] = true
		}
	}
	result.FileChanges = m.fileChanges()
	if err := m.checkFastForward(result.FileChanges); err != nil {
		return err
	}
	for _, c := range result.FileChanges {
		if nearest(alone, path.Dir(c.Name)) != "." {
			c.settle(c.Versions[identity.Local])
		} else {
			m.decideFile(c)
		}
		if m.options.NoOrigin {
			c.Conflicts = nil
		}
		if c.Result != nil {
			result.files = append(result.files, File{Name: c.Name, Mode: c.Result.Mode, Data: c.Result.Data})
		}
	}
	return nil
}

// fileChanges are the files that do not merge by structure, sorted by name, with their
// versions.
func (m *merger) fileChanges() []*FileChange {
	var names []string
	for _, p := range m.packages {
		for _, c := range p.contents {
			if _, isText := m.findText(c.Name); isText || !c.isStructured() {
				names = append(names, c.Name)
			}
		}
	}
	slices.Sort(names)
	var out []*FileChange
	for _, name := range slices.Compact(names) {
		c := &FileChange{Name: name}
		if at, found := m.findText(name); found {
			c.Fault = m.texts[at].reason
		}
		match := m.newMatch(identity.Triple{ID: identity.ID{Name: name}})
		for side := range m.packages {
			if found := m.packages[side].content(name); found != nil {
				c.Versions[side] = found.File
				c.Secret = c.Secret || isSecretName(name) || m.secretFiles()[name] || bytes.Contains(found.Data, []byte("Secret")) || namesSecret(string(found.Data))
				match.Versions[side] = &Resource{Meta: identity.Meta{Naming: identity.ByPath}, File: name}
			}
		}
		c.policy = match.policy()
		out = append(out, c)
	}
	return out
}

// checkFastForward finds files that local changed, where the strategy refuses them
// (design 6).
func (m *merger) checkFastForward(changes []*FileChange) error {
	var names []string
	for _, c := range changes {
		_, refuses := m.strategyOf(c.Name).(FastForward)
		if refuses && !c.same(identity.Local, identity.Origin) && !c.same(identity.Local, identity.Upstream) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &FastForwardError{what: "file", Differing: names}
}

// decideFile decides one file: by the rows of design 3.8, unless the strategy is one of
// those that take whole versions (design 6).
func (m *merger) decideFile(c *FileChange) {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	switch m.strategyOf(c.Name).(type) {
	case FastForward, ForceDeleteReplace:
		c.settle(u)
		return
	case CopyMerge:
		if u == nil && o == nil {
			u = l
		}
		c.settle(u)
		return
	}
	switch {
	case u == nil && o == nil:
		c.settle(l)
	case u == nil && l == nil || u == nil && c.same(identity.Origin, identity.Local):
		c.settle(nil)
	case u == nil:
		c.settle(c.Versions[c.conflict(merge.UpstreamDeleted)])
	case l == nil && o == nil:
		c.settle(u)
	case l == nil:
		switch {
		case c.same(identity.Origin, identity.Upstream):
		case m.options.RemovalsCollide:
			c.conflict(merge.LocalDeleted)
		default:
			c.Remarks = append(c.Remarks, merge.Remark{Kind: merge.LocalRemoved, Values: c.summaries()})
		}
		c.settle(nil)
	default:
		c.merge()
	}
}

// merge merges a file that upstream and local have. Its contents and whether it may be
// executed are two values; a symbolic link is one.
func (c *FileChange) merge() {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	switch {
	case c.same(identity.Upstream, identity.Local) || c.same(identity.Origin, identity.Upstream):
		c.settle(l)
		return
	case c.same(identity.Origin, identity.Local):
		c.settle(u)
		return
	case u.isLink() || l.isLink() || o != nil && o.isLink():
		c.settle(c.Versions[c.conflict(merge.BothChanged)])
		return
	}
	merged := File{Name: c.Name, Mode: l.Mode}
	if o != nil && o.Mode == l.Mode || o == nil && c.policy.Side(nil) == identity.Upstream {
		merged.Mode = u.Mode
	}
	merged.Data = c.mergeData()
	c.settle(&merged)
}

// mergeData merges what is in a file: a text by lines, anything else as a whole.
func (c *FileChange) mergeData() []byte {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	switch {
	case bytes.Equal(u.Data, l.Data) || o != nil && bytes.Equal(o.Data, u.Data):
		return l.Data
	case o != nil && bytes.Equal(o.Data, l.Data):
		return u.Data
	case !isText(u.Data) || !isText(l.Data) || o != nil && !isText(o.Data):
		return c.Versions[c.conflict(merge.BothChanged)].Data
	}
	var texts [3]string
	for side, f := range c.Versions {
		if f != nil {
			texts[side] = string(stream.LikeIn(f.Data, l.Data))
		}
	}
	var out []byte
	for _, s := range merge.Lines(texts) {
		if !s.Collides {
			out = append(out, s.Text...)
			continue
		}
		chosen := c.policy.Side(nil)
		conflict := merge.Conflict{Kind: merge.BothChanged, Chosen: chosen}
		for side, text := range s.Versions {
			if c.Versions[side] != nil {
				conflict.Values[side] = textNode(text, s.Lines[side])
			}
		}
		c.Conflicts = append(c.Conflicts, conflict)
		out = append(out, s.Versions[chosen]...)
	}
	return out
}

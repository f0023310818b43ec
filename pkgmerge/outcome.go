package pkgmerge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// newChange finds out what an outcome means for local's package.
func newChange(in *merger, m *Match, out merge.Outcome) (*Change, error) {
	out = retold(m, out)
	c := &Change{Match: m, merger: in, Conflicts: copyConflicts(out.Conflicts), Remarks: copyRemarks(out.Remarks), notes: warningNotes(m.warnings)}
	c.Action = action(m, out.Verdict)
	c.Moved = c.stays() && m.movedUpstream()
	l, u := m.Versions[identity.Local], m.Versions[identity.Upstream]
	switch {
	case l != nil && !c.Moved:
		c.file = l.label()
	case u != nil && u.File != "":
		c.file = path.Join(in.packages[identity.Local].Dir, u.File)
	}
	var tree *yaml.Node
	if c.stays() || c.Action == Added {
		var err error
		if tree, err = c.resolve(out); err != nil {
			return nil, err
		}
	}
	if c.Moved {
		c.Action = Changed
	}
	if in.driven != nil {
		return c, nil
	}
	return c, c.look(tree)
}

// copyConflicts copies conflicts with their values and paths, so that the conflicts keep no parsed
// resource in memory.
func copyConflicts(conflicts []merge.Conflict) []merge.Conflict {
	conflicts = slices.Clone(conflicts)
	for i, c := range conflicts {
		conflicts[i].Path, conflicts[i].Values = copyPath(c.Path), copyValues(c.Values)
	}
	return conflicts
}

// copyRemarks is copyConflicts for remarks.
func copyRemarks(remarks []merge.Remark) []merge.Remark {
	remarks = slices.Clone(remarks)
	for i, r := range remarks {
		remarks[i].Path, remarks[i].Values = copyPath(r.Path), copyValues(r.Values)
	}
	return remarks
}

func copyValues(values [3]*yaml.Node) (out [3]*yaml.Node) {
	for side, n := range values {
		out[side] = copyValue(n)
	}
	return out
}

func copyValue(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := yamlnode.Clone(n)
	cloneTexts(out)
	return out
}

// cloneTexts replaces the texts of a tree, which are parts of the resource's text.
func cloneTexts(n *yaml.Node) {
	for _, text := range [4]*string{&n.Value, &n.HeadComment, &n.LineComment, &n.FootComment} {
		*text = strings.Clone(*text)
	}
	for _, c := range n.Content {
		cloneTexts(c)
	}
}

func copyPath(p *merge.Path) (out *merge.Path) {
	for _, step := range p.Steps() {
		if step.Keys == nil {
			out = out.Field(strings.Clone(step.Field))
			continue
		}
		keys := slices.Clone(step.Keys)
		for i, k := range keys {
			keys[i].Value = copyValue(k.Value)
		}
		out = out.Element(keys)
	}
	return out
}

// warningNotes are warnings about one resource.
func warningNotes(texts []string) []note {
	var out []note
	for _, text := range texts {
		out = append(out, note{warning: true, text: text})
	}
	return out
}

// retold is the outcome of a document that local left as origin has it, byte for byte, while
// upstream says the same as the result in another text, such as with the keys in another order:
// upstream's (rules/comments-and-text: unchanged text).
func retold(m *Match, out merge.Outcome) merge.Outcome {
	u, l := m.Versions[identity.Upstream], m.Versions[identity.Local]
	if !m.parsed || u == nil || l == nil || l.isKptfile() || !u.item.IsDocument() || !l.item.IsDocument() ||
		!m.Has(identity.Origin) || !m.SameText(identity.Origin, identity.Local) || m.SameText(identity.Upstream, identity.Local) {
		return out
	}
	switch upstreams := m.trees[identity.Upstream]; {
	case out.Verdict == merge.TakeLocal && merge.Alike(upstreams, m.trees[identity.Local]),
		out.Verdict == merge.MergeParts && len(out.Conflicts) == 0 && merge.Same(upstreams, out.Node):
		out.Verdict, out.Node = merge.TakeUpstream, nil
	}
	return out
}

// action is what a verdict does to local's package.
func action(m *Match, v merge.Verdict) Action {
	has := m.Has(identity.Local)
	switch {
	case v == merge.Drop && has:
		return Deleted
	case v == merge.Drop:
		return Absent
	case !has:
		return Added
	case v == merge.TakeLocal:
		return Unchanged
	}
	return Changed
}

// resolve makes the resource that the result has, and returns its tree without
// bookkeeping: nil, if it is local's, which nobody had to parse.
func (c *Change) resolve(out merge.Outcome) (*yaml.Node, error) {
	l, u := c.Versions[identity.Local], c.Versions[identity.Upstream]
	if c.Action == Unchanged {
		c.Result = &Resource{Meta: l.Meta, File: l.File, Index: l.Index, Label: l.Label, Identifier: l.Identifier}
		c.Result.item = l.item
		if text, wanted := c.mergeComment(); wanted {
			c.Result.item = l.item.WithMergeComment(text)
		}
		c.move()
		return nil, nil
	}
	trees, err := c.Trees()
	if err != nil {
		return nil, err
	}
	tree := out.Node
	if tree == nil && out.Verdict == merge.TakeUpstream {
		tree = trees[identity.Upstream]
	}
	if tree == nil {
		return nil, fmt.Errorf("%s: the strategy %s decided for a version without saying which", c.Newest(), c.merger.strategy.Name())
	}
	base, side := u, identity.Upstream
	if l != nil {
		base, side = l, identity.Local
	}
	meta := identity.ReadMeta(tree)
	if meta == base.Meta { // of which no tree is kept
		meta = base.Meta
	}
	c.Result = &Resource{Meta: meta, File: base.File, Index: base.Index, Label: base.Label, Identifier: base.Identifier}
	if c.Result.item, err = c.written(side, tree, out); err != nil {
		return nil, err
	}
	c.move()
	return tree, nil
}

// written is the item of a merged tree: base's with another text, which is local's with
// edits where there are both (rules/comments-and-text: unchanged text).
func (c *Change) written(side identity.Side, tree *yaml.Node, out merge.Outcome) (*resourcelist.Item, error) {
	if _, is := c.run.(Writer); is || c.Versions[side].in != nil {
		return c.writeDriven(side, tree, out)
	}
	part := out.Part
	full, u := c.items[side], c.items[identity.Upstream]
	if part.Value != tree {
		part = parts.Part{
			Value: tree, From: parts.Upstream,
			Local: parts.Entry{Value: full.Node}, Upstream: parts.Entry{Value: c.trees[identity.Upstream]},
		}
	}
	if side == identity.Local {
		tree = withBookkeeping(tree, full.Node, c.merger.comesOut)
	}
	if text, wanted := c.mergeComment(); wanted {
		tree = resourcelist.SetMergeComment(tree, text)
	}
	if side == identity.Local && u != nil && !c.takesText(u) {
		if edited := full.Edited(u, part.With(tree, full.Node)); edited != nil {
			return edited, nil
		}
	} else if u != nil {
		full = u.InPlaceOf(full)
	}
	item, err := full.Rewritten(tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Newest(), err)
	}
	return item, nil
}

// takesText reports whether the result comes out with upstream's text: local has the
// text that origin has, bookkeeping and merge comment aside (rules/comments-and-text:
// unchanged text).
func (c *Change) takesText(u *resourcelist.Item) bool {
	return u.HasText(c.items[identity.Local]) && c.Has(identity.Origin) && c.SameText(identity.Origin, identity.Local)
}

// move gives the result upstream's file, if upstream moved or added the resource.
func (c *Change) move() {
	if c.Moved || c.Action == Added {
		c.Result.File, c.Result.Label = c.Versions[identity.Upstream].File, c.file
	}
}

// isRenamed reports whether the resource has another name or namespace than its
// counterpart's identity, in the result or by a change of local's that the result may not
// have: so the comment does not depend on whose name a conflict takes.
//
// What was found by its content gets no comment where upstream left it alone: it will be found
// so again.
func (c *Change) isRenamed(id identity.ID) bool {
	if c.how.ByContent && c.SameText(identity.Origin, identity.Upstream) {
		return false
	}
	own := func(r *Resource) identity.ID { return r.entry("", c.schema).OwnID() }
	another := func(a, b identity.ID) bool { return a.Name != b.Name || a.Namespace != b.Namespace }
	o, l := c.Versions[identity.Origin], c.Versions[identity.Local]
	return another(own(c.Result), id) || o != nil && l != nil && another(own(l), id) && another(own(l), own(o))
}

// mergeComment is the merge comment that the result is to get, if the resource has a
// counterpart and the result no such comment yet: local's own, else one with the
// counterpart's identity (rules/identity: written merge comments). What is identified
// by its path gets none, and MergeComments says what else.
func (c *Change) mergeComment() (string, bool) {
	counterpart := c.counterpart()
	if counterpart == nil || counterpart.Meta.Naming == identity.ByPath || c.merger.options.MergeComments == CommentNever {
		return "", false
	}
	if _, err := identity.ParseComment(c.Result.Meta.Comment); err == nil {
		return "", false
	}
	if l := c.Versions[identity.Local]; l != nil {
		if own, err := identity.ParseComment(l.Meta.Comment); err == nil {
			return own.String(), true
		}
	}
	side := identity.Upstream
	if !c.Has(side) {
		side = identity.Origin
	}
	id := c.identityOf(side)
	wanted := c.merger.options.MergeComments
	if wanted != CommentAlways && !(wanted == CommentChanged && c.Action != Unchanged) && !c.isRenamed(id) {
		return "", false
	}
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}.String()
	_, err := identity.ParseComment(comment)
	return comment, err == nil
}

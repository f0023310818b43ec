package pkgmerge

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/kptids"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// newChange returns the change that an outcome makes to local's package.
func newChange(in *merger, m *Match, out merge.Outcome) (*Change, error) {
	out = preferUpstreamText(m, out)
	c := &Change{Match: m, merger: in, Conflicts: copyConflicts(out.Conflicts, in.isSecond), Remarks: copyRemarks(out.Remarks), Action: action(m, out.Verdict)}
	for _, text := range m.warnings {
		c.notes = append(c.notes, note{warning: true, text: text})
	}
	c.Moved = c.stays() && m.movedUpstream()
	c.file = c.resultFile()
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
	c.keepParsed()
	if in.driven != nil || in.isSecond {
		return c, nil
	}
	c.noteSecrets(tree)
	return c, c.inspect(tree)
}

// resultFile returns the file of the resource in the result: local's, unless upstream moved or added it.
func (c *Change) resultFile() string {
	l, u := c.Versions[identity.Local], c.Versions[identity.Upstream]
	switch {
	case l != nil && !c.Moved:
		return l.label()
	case u != nil && u.File != "":
		return path.Join(c.merger.packages[identity.Local].Dir, u.File)
	}
	return ""
}

// copyConflicts copies conflicts with their paths and, unless only the paths count, their values, so that the
// conflicts keep no parsed resource in memory.
func copyConflicts(conflicts []merge.Conflict, onlyPaths bool) []merge.Conflict {
	conflicts = slices.Clone(conflicts)
	for i, c := range conflicts {
		if conflicts[i].Path = c.Path.Copy(copyValue); onlyPaths {
			c.Values = [3]*yaml.Node{}
		}
		conflicts[i].Values = copyValues(c.Values)
	}
	return conflicts
}

// copyRemarks is copyConflicts for remarks.
func copyRemarks(remarks []merge.Remark) []merge.Remark {
	remarks = slices.Clone(remarks)
	for i, r := range remarks {
		remarks[i].Path, remarks[i].Values = r.Path.Copy(copyValue), copyValues(r.Values)
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

// preferUpstreamText takes upstream's version of a document that local did not change, if upstream has the content of
// the result in another text, for example with the keys in another order (rules/comments-and-text: unchanged text).
func preferUpstreamText(m *Match, out merge.Outcome) merge.Outcome {
	u, l := m.Versions[identity.Upstream], m.Versions[identity.Local]
	if !m.parsed || u == nil || l == nil || l.isKptfile() || !u.item.IsDocument() || !l.item.IsDocument() ||
		!m.Has(identity.Origin) || !m.sameText(identity.Origin, identity.Local) || m.sameText(identity.Upstream, identity.Local) {
		return out
	}
	switch tree := m.trees[identity.Upstream]; {
	case out.Verdict == merge.TakeLocal && merge.Same(tree, m.trees[identity.Local]),
		out.Verdict == merge.MergeParts && len(out.Conflicts) == 0 && merge.Same(tree, out.Node):
		out.Verdict, out.Node = merge.TakeUpstream, nil
		out.Remarks = slices.DeleteFunc(slices.Clone(out.Remarks), func(r merge.Remark) bool { return r.Kind == merge.UpstreamComment })
	}
	return out
}

// action returns the action of a verdict on local's package.
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

// resolve makes the resource of the result, and returns its tree without bookkeeping: nil for
// local's version, which need not be parsed.
func (c *Change) resolve(out merge.Outcome) (*yaml.Node, error) {
	l, u := c.Versions[identity.Local], c.Versions[identity.Upstream]
	if c.Action == Unchanged {
		c.keepText(l)
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
		return nil, fmt.Errorf("%s: the strategy %s chose a version, but returned neither a node nor a side", c.Newest(), c.merger.strategy.Name())
	}
	base, side := u, identity.Upstream
	if l != nil {
		base, side = l, identity.Local
	}
	meta := withoutValues(identity.ReadMeta(tree))
	if meta == base.Meta { // the strings of base.Meta do not keep the tree in memory
		meta = base.Meta
	}
	c.Result = base.copyWith(meta, nil)
	if c.Result.item, err = c.write(side, tree, out); err != nil {
		return nil, err
	}
	c.move()
	return tree, nil
}

// keepParsed keeps the parsed form of a result in conflict for its readers, markers and reports, where a version has the same text:
// if the version is kept by itself, or as far as there is room.
func (c *Change) keepParsed() {
	if c.Result == nil || len(c.Conflicts) == 0 || !c.parsed || !c.Result.item.IsDocument() {
		return
	}
	text := c.Result.item.Text()
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		v, full := c.Versions[side], c.items[side]
		if v == nil || full.ParsedText() == nil || !v.item.IsDocument() || !bytes.Equal(text, v.item.Text()) {
			continue
		}
		if v.Known() != nil || c.merger.room.Add(-int64(len(text))) >= 0 {
			c.Result.kept.of, c.Result.kept.full = c.Result.item, full
			return
		}
	}
}

// keepText makes the result local's version, with upstream's changes of empty lines, and finds the merge comment that it
// needs.
func (c *Change) keepText(l *Resource) {
	c.Result = l.copyWith(l.Meta, l.item)
	if origin := c.spacedOrigin(); origin != nil {
		full, u := c.items[identity.Local], c.items[identity.Upstream]
		part := parts.Part{Value: full.Node, From: parts.Local, Local: parts.Entry{Value: full.Node}, Upstream: parts.Entry{Value: u.Node}}
		if edited := full.Edited(u, origin, part); edited != nil && !bytes.Equal(edited.Text(), l.item.Text()) {
			c.Result.item, c.Action = edited, Changed
		}
	}
	if text, wanted := c.mergeComment(); wanted {
		c.comment = text
	}
	c.move()
}

// spacedOrigin returns origin's version if the empty lines of the versions are merged (rules/comments-and-text: empty
// lines): if upstream or local changed any of them, and all are documents of files, or items that kpt did not send, as it sends no
// empty lines.
func (c *Change) spacedOrigin() *resourcelist.Item {
	o := c.Versions[identity.Origin]
	if c.collated == nil || o == nil {
		return nil
	}
	for _, r := range c.Versions {
		if r == nil || r.item.IsDocument() != o.item.IsDocument() || kptids.Has(r.item) {
			return nil
		}
	}
	isAlike := func(side identity.Side) bool { return manifest.SameSpaces(o.item.Text(), c.Versions[side].item.Text()) }
	if isAlike(identity.Upstream) && isAlike(identity.Local) {
		return nil
	}
	full, err := o.parsed()
	if err != nil {
		return nil
	}
	return full
}

// commentUnchanged writes merge comments into unchanged resources that need one, if the merge does anything else
// (rules/identity: written merge comments).
func commentUnchanged(changes []*Change) {
	if !slices.ContainsFunc(changes, func(c *Change) bool {
		return c.Action != Unchanged && c.Action != Absent || c.Moved || c.marked || len(c.Conflicts) > 0
	}) {
		return
	}
	for _, c := range changes {
		if c.comment == "" {
			continue
		}
		item := c.Result.item.WithMergeComment(c.comment)
		c.commented = item != c.Result.item
		c.Result.item = item
	}
}

// copyWith returns the resource with another content, outside of a document or List.
func (r *Resource) copyWith(meta identity.Meta, item *resourcelist.Item) *Resource {
	return &Resource{Meta: meta, File: r.File, Index: r.Index, Label: r.Label, Identifier: r.Identifier, item: item}
}

// write writes a merged tree: local's text with edits where there is one (rules/comments-and-text: unchanged text).
func (c *Change) write(side identity.Side, tree *yaml.Node, out merge.Outcome) (*resourcelist.Item, error) {
	if c.run != nil {
		if item, err := c.writeDriven(side, tree, out); item != nil || err != nil {
			return item, err
		}
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
		tree = withBookkeeping(tree, full.Node, c.merger.keepsAnnotation)
	}
	if text, wanted := c.mergeComment(); wanted {
		tree = resourcelist.SetMergeComment(tree, text)
	}
	write := c.writer(side, part)
	item, err := write(tree)
	if err == nil && c.isSent() {
		item, err = kptids.Sent{Local: c.items[identity.Local], Upstream: u}.Identified(c.Versions[identity.Local].item, item, tree, write)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Newest(), err)
	}
	return item, nil
}

// writer returns a function that writes a tree: as edits of the text of a side, or in upstream's text if
// local's takes that.
func (c *Change) writer(side identity.Side, part parts.Part) func(*yaml.Node) (*resourcelist.Item, error) {
	full, u := c.items[side], c.items[identity.Upstream]
	takes := side != identity.Local || u == nil || c.takesText(u)
	return func(tree *yaml.Node) (*resourcelist.Item, error) {
		base := full
		if !takes {
			if edited := full.Edited(u, c.spacedOrigin(), part.With(tree, full.Node)); edited != nil {
				return edited, nil
			}
		} else if u != nil {
			base = u.InPlaceOf(full)
		}
		return base.Rewritten(tree)
	}
}

// isSent reports whether local's version is an item that kpt sent, and comes back in its place (rules/function: ids of kpt).
func (c *Change) isSent() bool {
	l := c.Versions[identity.Local]
	return c.Action == Changed && !c.Moved && !c.follows && l != nil && kptids.Has(l.item)
}

// takesText reports whether the result has upstream's text: local's text equals origin's, except for
// bookkeeping and merge comment (rules/comments-and-text: unchanged text). A last line break that local added or
// removed is a difference.
func (c *Change) takesText(u *resourcelist.Item) bool {
	l := c.items[identity.Local]
	return u.HasText(l) && c.Has(identity.Origin) && c.sameText(identity.Origin, identity.Local) &&
		c.Versions[identity.Origin].item.IsEnded() == l.IsEnded()
}

// move gives the result upstream's file, if upstream moved or added the resource.
func (c *Change) move() {
	if c.Moved || c.Action == Added {
		c.Result.File, c.Result.Label = c.Versions[identity.Upstream].File, c.file
	}
}

// isRenamed reports whether the resource has another name or namespace than its counterpart's
// identity, in the result or by a change of local's: the comment does not depend on the policy.
//
// A resource that was matched by its content, and that upstream did not change, needs no comment: it
// will be matched so again.
func (c *Change) isRenamed(id identity.ID) bool {
	if c.how.ByContent && c.sameText(identity.Origin, identity.Upstream) {
		return false
	}
	own := func(r *Resource) identity.ID { return r.entry("", c.schema).OwnID() }
	another := func(a, b identity.ID) bool { return a.Name != b.Name || a.Namespace != b.Namespace }
	o, l := c.Versions[identity.Origin], c.Versions[identity.Local]
	return another(own(c.Result), id) || o != nil && l != nil && another(own(l), id) && another(own(l), own(o))
}

// mergeComment returns the merge comment to write into the result, if the resource has a counterpart and the result no
// such comment yet: local's own, else one with the counterpart's identity (rules/identity: written merge comments). A
// resource that is identified by its path gets none, and MergeComments excludes others. Where upstream moved the
// resource to another namespace, its new identity replaces the one of local's comment.
func (c *Change) mergeComment() (string, bool) {
	counterpart := c.counterpart()
	if counterpart == nil || counterpart.Meta.Naming == identity.ByPath || c.merger.options.MergeComments == CommentNever {
		return "", false
	}
	_, err := identity.ParseComment(c.Result.Meta.Comment)
	if err == nil && !c.how.MovedUpstream {
		return "", false
	}
	if own, is := c.localComment(); is && !c.how.MovedUpstream {
		return own.String(), true
	}
	side := identity.Upstream
	if !c.Has(side) {
		side = identity.Origin
	}
	id := c.identityOf(side)
	if !c.commentsAllNames() && !c.isRenamed(id) && err != nil {
		return "", false
	}
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}.String()
	_, err = identity.ParseComment(comment)
	return comment, err == nil
}

// localComment returns the merge comment of local's version, if it has one.
func (c *Change) localComment() (comment identity.Comment, has bool) {
	l := c.Versions[identity.Local]
	if l == nil {
		return comment, false
	}
	comment, err := identity.ParseComment(l.Meta.Comment)
	return comment, err == nil
}

// commentsAllNames reports whether the resource gets a merge comment also if nobody renamed it.
func (c *Change) commentsAllNames() bool {
	wanted := c.merger.options.MergeComments
	return wanted == CommentAlways || wanted == CommentChanged && (c.Action != Unchanged || c.marked)
}

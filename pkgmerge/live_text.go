package pkgmerge

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// writtenLive is the item of an applied object: the live object's text with edits, or,
// for one that is created, a text of its own. Neither has comments of config's
// (rules/apply: live objects). side is that of the item which it is made of.
func (c *Change) writtenLive(side identity.Side, tree *yaml.Node, part parts.Part) (*resourcelist.Item, error) {
	full := c.items[side]
	if side == identity.Upstream {
		base := full
		if list := c.Versions[side].in; list != nil {
			base = list.item
		}
		return base.WithNode(tree).Encoded()
	}
	if part.Value == nil {
		part = parts.Part{Value: tree, From: parts.Upstream, Local: parts.Entry{Value: c.trees[side]}}
	}
	tree = withBookkeeping(tree, full.Node, c.merger.comesOut)
	part = part.With(tree, full.Node)
	c.fields = changedFields(part)
	if c.Versions[side].in != nil {
		c.part = part
		return resourcelist.NewItem(tree), nil
	}
	if edited := full.Edited(nil, part); edited != nil {
		return edited, nil
	}
	item, err := full.Rewritten(tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Newest(), err)
	}
	return item, nil
}

// writeLists writes the Lists that live objects are items of, with what became of those:
// each List is its own text with edits.
func writeLists(changes []*Change) error {
	of := map[*Resource]*Change{}
	lists := map[*listed]*Resource{}
	for _, c := range changes {
		if l := c.Versions[identity.Local]; l != nil && l.in != nil {
			of[l] = c
		}
	}
	for _, c := range changes {
		l := c.Versions[identity.Local]
		if l == nil || l.in == nil {
			continue
		}
		if lists[l.in] == nil {
			item, err := l.in.written(of)
			if err != nil {
				return err
			}
			lists[l.in] = l.in.list.withItem(item)
		}
		c.list = lists[l.in]
	}
	return nil
}

// withItem is a resource with another text.
func (r *Resource) withItem(item *resourcelist.Item) *Resource {
	out := *r
	out.item = item
	return &out
}

// written is a List with what became of its items.
func (l *listed) written(of map[*Resource]*Change) (*resourcelist.Item, error) {
	root := parts.Part{Value: l.item.Node, From: parts.Local, Local: parts.Entry{Value: l.item.Node}}
	items := yamlnode.Field(l.item.Node, "items")
	list, kept, changed := *items, make([]parts.Part, 0, len(items.Content)), false
	list.Content = nil
	for i, r := range l.resources {
		c, own := of[r], parts.Entry{Value: items.Content[i], At: i}
		part := parts.Part{Value: own.Value, From: parts.Local, Local: own}
		switch c.Action {
		case Deleted:
			changed = true
			continue
		case Changed:
			changed = true
			part = c.part
			part.Local.At = i
		}
		kept, list.Content = append(kept, part), append(list.Content, part.Value)
	}
	if !changed {
		return l.list.item, nil
	}
	root.Value = yamlnode.WithField(l.item.Node, "items", &list)
	for i := 0; i+1 < len(root.Value.Content); i += 2 {
		key, was := root.Value.Content[i], l.item.Node.Content[i+1]
		part := parts.Part{Key: key, Value: was, From: parts.Local, Local: parts.Entry{Key: key, Value: was}}
		if key.Value == "items" {
			part.Value, part.Parts = &list, kept
		}
		root.Parts = append(root.Parts, part)
	}
	if edited := l.item.Edited(nil, root); edited != nil {
		return edited, nil
	}
	return l.item.Rewritten(root.Value)
}

// isOnlyLastApplied reports whether a live object without annotations gets no other one.
func isOnlyLastApplied(p parts.Part) bool {
	names := yamlnode.Names(p.Value)
	return p.Local.Value == nil && len(names) == 1 && names[0] == lastapplied.Annotation
}

// changedFields is how many fields a part of a result differs in from local's version:
// what is added or removed as a whole is one, and the annotation last-applied and
// managedFields none.
func changedFields(p parts.Part) int {
	switch {
	case p.Key != nil && (p.Key.Value == lastapplied.Annotation || p.Key.Value == "managedFields"), p.Key != nil && p.Key.Value == "annotations" && isOnlyLastApplied(p):
		return 0
	case p.Local.Value == nil:
		return 1
	case p.Parts == nil && (p.From == parts.Local || merge.Same(p.Value, p.Local.Value)):
		return 0
	case p.Parts == nil:
		return 1
	}
	changed, kept := 0, 0
	for _, part := range p.Parts {
		if part.Local.Value != nil {
			kept++
		}
		changed += changedFields(part)
	}
	had := len(p.Local.Value.Content)
	if p.Local.Value.Kind == yaml.MappingNode {
		had /= 2
	}
	return changed + had - kept
}

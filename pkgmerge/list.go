package pkgmerge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// listed is a List whose items are resources of their own, as `kubectl get` writes them (rules/apply:
// lists of objects). The List stays, and its items change in it.
type listed struct {
	list *Resource
	// item is the parsed List.
	item      *resourcelist.Item
	resources []*Resource
}

// Listed returns the List that contains the resource, else the resource itself.
func (r *Resource) Listed() *Resource {
	if r.in == nil {
		return r
	}
	return r.in.list
}

// Unlisted returns the package with the items of its Lists as resources of their own, for a Driver
// that merges such items. In the result the Lists of local's package have the merged items, and are
// otherwise unchanged (see Change.List).
func (p Package) Unlisted() (Package, error) {
	var out []*Resource
	for _, r := range p.Resources {
		if !strings.HasSuffix(r.Meta.Kind, "List") || r.Meta.Naming != identity.ByPath {
			out = append(out, r)
			continue
		}
		l, err := newListed(r)
		if err != nil {
			return p, err
		}
		if l == nil {
			out = append(out, r)
		} else {
			out = append(out, l.resources...)
		}
	}
	p.Resources = out
	return p, nil
}

// newListed reads the items of a List; nil if it is not a List.
func newListed(r *Resource) (*listed, error) {
	full, err := r.parsed()
	if err != nil {
		return nil, err
	}
	items := yamlnode.Field(full.Node, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil, nil
	}
	l := &listed{list: r, item: full}
	for i, n := range items.Content {
		n = yamlnode.Resolve(n)
		meta := identity.ReadMeta(n)
		if n.Kind != yaml.MappingNode || meta.Kind == "" {
			return nil, fmt.Errorf("%s: items[%d] is not a resource: it has no kind", r, i)
		}
		l.resources = append(l.resources, &Resource{
			Meta: meta, File: r.File, Index: r.Index, Label: r.Label,
			item: resourcelist.NewItem(n), document: r.document, in: l,
		})
	}
	return l, nil
}

// writeLists writes the Lists of local whose items were merged: each List is its own text with edits.
func writeLists(changes []*Change) error {
	of := map[*Resource]*Change{}
	for _, c := range changes {
		if l := c.Versions[identity.Local]; l != nil && l.in != nil {
			of[l] = c
		}
	}
	lists := map[*listed]*Resource{}
	for _, c := range changes {
		l := c.Versions[identity.Local]
		if of[l] == nil {
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

// withItem returns the resource with another text.
func (r *Resource) withItem(item *resourcelist.Item) *Resource {
	out := *r
	out.item = item
	return &out
}

// written returns the List with the merged items.
func (l *listed) written(of map[*Resource]*Change) (*resourcelist.Item, error) {
	root := parts.Part{Value: l.item.Node, From: parts.Local, Local: parts.Entry{Value: l.item.Node}}
	items := yamlnode.Field(l.item.Node, "items")
	list, kept, changed := *items, make([]parts.Part, 0, len(items.Content)), false
	list.Content = nil
	for i, r := range l.resources {
		c, own := of[r], parts.Entry{Value: items.Content[i], At: i}
		part := parts.Part{Value: own.Value, From: parts.Local, Local: own}
		switch {
		case c == nil: // takes no part in the merge
		case c.Action == Deleted:
			changed = true
			continue
		case c.Action == Changed:
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

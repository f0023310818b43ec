package pkgmerge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Driver is a Strategy that brings its own matching, reading and writing: its versions are not three states of one
// package. Merge takes a Driver as Options.Strategy and calls it and its Run in this order:
//
//	Begin              once      the versions that take part
//	Run.Match          once      which versions are one resource
//	Strategy.Prepare   once
//	Strategy.Merge     a match   the decision, for which Match.Trees calls Run.Read
//	Run.Write          a match   the text of a resource that is added or changed
//	Run.Finish         once      all changes, before the result is put together
//
// Calls for different matches may overlap. Beyond single resources, Merge leaves everything to the Driver: it writes no
// merge comment, adapts nothing new to local's package, and gives no notice that compares the versions.
type Driver interface {
	Strategy
	// Begin begins a merge of three versions. It returns the packages that take part, for example
	// with the items of their Lists (see Package.Unlisted), or without some resources.
	Begin(versions [3]Package) (Run, [3]Package, error)
}

// Run is one merge by a Driver. The strategy finds it as Match.Run, and the caller of Merge as Result.Run.
type Run interface {
	// Match finds the versions of each resource. known describes the kinds.
	Match(known *schema.Schema) (Matching, error)
	// Read returns the trees to merge, made from the trees of the versions without bookkeeping. It must not alter the
	// given ones, and it may be called several times for a match. The warnings become notices about the resource.
	Read(m *Match, versions [3]*yaml.Node) (merged [3]*yaml.Node, warnings []string, err error)
	// Write returns the resource with the result's Node, which has local's bookkeeping. Only its text counts; the merge
	// chooses the file. Match.Rewrite is the usual way to write; nil leaves the writing to Merge.
	Write(m *Match, result merge.Outcome) (*Resource, error)
	// Finish gets all changes, placed in their files. The notices come last in the result.
	Finish(changes []*Change) ([]Notice, error)
}

// Matching is the result of Run.Match.
type Matching struct {
	// Matches have an ID and Versions, in the order of Result.Changes: local's resources, then
	// upstream's, then origin's. A resource without a match takes no part any more.
	Matches []*Match
	// Packages are the ones that Begin returned, possibly with files added (see Package.WithFile).
	Packages [3]Package
	// Schema describes the kinds for the rest of the merge: the one that Match got, or its form in another column.
	Schema *schema.Schema
}

// matchDriven matches the versions by the run of a Driver.
func (p *plan) matchDriven() ([]*Match, error) {
	found, err := p.driven.Match(p.schema)
	if err != nil {
		return nil, err
	}
	p.packages = found.Packages
	if found.Schema != nil {
		p.schema = found.Schema
	}
	matched := map[*Resource]bool{}
	for _, match := range found.Matches {
		p.complete(match, identity.Triple{ID: match.ID})
		match.run, match.packages = p.driven, [3]string{".", ".", "."}
		for _, r := range match.Versions {
			if r != nil && matched[r] {
				return nil, fmt.Errorf("%s: the strategy %s matched it twice", r, p.strategy.Name())
			}
			matched[r] = true
		}
	}
	for side := range p.packages {
		p.packages[side] = p.packages[side].filter(func(r *Resource) bool { return matched[r] })
	}
	return found.Matches, nil
}

// Run returns the run of the Driver that found the match, nil in a merge without one.
func (m *Match) Run() Run { return m.run }

// writeDriven writes the tree of the result by the run of a Driver; nil if that leaves it to Merge.
// side is local if that has the resource, else upstream.
func (c *Change) writeDriven(side identity.Side, tree *yaml.Node, out merge.Outcome) (*resourcelist.Item, error) {
	if side == identity.Upstream {
		out.Part = parts.Part{Value: tree, From: parts.Upstream}
	} else {
		if out.Part.Value == nil {
			out.Part = parts.Part{Value: tree, From: parts.Upstream, Local: parts.Entry{Value: c.trees[side]}}
		}
		was := c.items[side].Node
		out.Part = out.Part.With(withBookkeeping(tree, was, c.merger.keepsAnnotation), was)
	}
	out.Node = out.Part.Value
	written, err := c.run.Write(c.Match, out)
	if written == nil && err == nil && c.Versions[side].in != nil {
		written, err = c.Rewrite(out)
	}
	if written == nil || err != nil {
		return nil, err
	}
	if in := c.Versions[side].in; in != nil && in.item != nil && side == identity.Local {
		c.part = out.Part.With(written.item.Node, nil)
	}
	return written.item, nil
}

// Rewrite writes the Node of a result: local's text with edits, or a new text in the form of upstream's, for a resource
// that local lacks. It has local's comments, and none of upstream's except the ones in the node.
func (m *Match) Rewrite(result merge.Outcome) (*Resource, error) {
	u, l := m.Versions[identity.Upstream], m.Versions[identity.Local]
	switch {
	case l == nil:
		base := m.items[identity.Upstream]
		if u.in != nil && u.in.item != nil {
			base = u.in.item
		}
		item, err := base.WithNode(result.Node).Encoded()
		return u.withItem(item), err
	case l.in != nil && l.in.item != nil: // its text is a part of the List's
		return l.withItem(resourcelist.NewItem(result.Node)), nil
	}
	full := m.items[identity.Local]
	if result.Node == result.Part.Value {
		if edited := full.Edited(nil, nil, result.Part); edited != nil {
			return l.withItem(edited), nil
		}
	}
	item, err := full.Rewritten(result.Node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return l.withItem(item), nil
}

// listed is a List with its items as separate resources, as `kubectl get` writes it (rules/apply: lists of objects).
// The List stays, and its items change in it.
type listed struct {
	list *Resource
	// item is the parsed List, nil of a List that was cut into documents.
	item      *resourcelist.Item
	resources []*Resource
	// cut has the parts of the text of a List that was cut into documents.
	cut cutList
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
		if !r.isList() {
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

// isList reports whether a resource may be a List.
func (r *Resource) isList() bool {
	return strings.HasSuffix(r.Meta.Kind, "List") && r.Meta.Naming == identity.ByPath
}

// newListed reads the items of a List; nil if it is not a List. The items of a List in lines become documents, which are
// parsed one at a time: a recording of a cluster is large.
func newListed(r *Resource) (*listed, error) {
	if l := newCutList(r); l != nil {
		return l, nil
	}
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
		if err := l.addItem(i, yamlnode.Resolve(n)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// addItem adds an item of the List as a resource.
func (l *listed) addItem(i int, n *yaml.Node) error {
	r, meta := l.list, identity.ReadMeta(n)
	if n.Kind != yaml.MappingNode || meta.Kind == "" {
		return fmt.Errorf("%s: items[%d] is not a resource: it has no kind", r, i)
	}
	l.resources = append(l.resources, &Resource{
		Meta: meta, File: r.File, Index: r.Index, Label: r.Label,
		item: resourcelist.NewItem(n), document: r.document, in: l,
	})
	return nil
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
			item, err := l.in.merged(of)
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

func (l *listed) merged(of map[*Resource]*Change) (*resourcelist.Item, error) {
	if l.item == nil {
		return l.joined(of)
	}
	return l.written(of)
}

// written returns a parsed List with the merged items.
func (l *listed) written(of map[*Resource]*Change) (*resourcelist.Item, error) {
	kept, changed := l.mergedItems(of)
	if !changed {
		return l.list.item, nil
	}
	list := *yamlnode.Field(l.item.Node, "items")
	list.Content = nil
	for _, part := range kept {
		list.Content = append(list.Content, part.Value)
	}
	root := parts.Part{Value: yamlnode.WithField(l.item.Node, "items", &list), From: parts.Local, Local: parts.Entry{Value: l.item.Node}}
	for i := 0; i+1 < len(root.Value.Content); i += 2 {
		key, was := root.Value.Content[i], l.item.Node.Content[i+1]
		part := parts.Part{Key: key, Value: was, From: parts.Local, Local: parts.Entry{Key: key, Value: was}}
		if key.Value == "items" {
			part.Value, part.Parts = &list, kept
		}
		root.Parts = append(root.Parts, part)
	}
	if edited := l.item.Edited(nil, nil, root); edited != nil {
		return edited, nil
	}
	return l.item.Rewritten(root.Value)
}

// mergedItems returns the parts of the items that stay, and whether any item changes.
func (l *listed) mergedItems(of map[*Resource]*Change) (kept []parts.Part, changed bool) {
	items := yamlnode.Field(l.item.Node, "items")
	kept = make([]parts.Part, 0, len(items.Content))
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
		kept = append(kept, part)
	}
	return kept, changed
}

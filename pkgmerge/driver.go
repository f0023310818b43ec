package pkgmerge

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Driver is a Strategy that brings its own matching, and may bring its own reading and writing:
// its versions are no three states of one package. Merge takes a Driver as Options.Strategy and
// calls it and its Run in this order:
//
//	Begin              once      the versions that take part
//	Run.Match          once      which versions are one resource
//	Strategy.Prepare   once
//	Strategy.Merge     a match   the decision, for which Match.Trees calls Reader.Read
//	Writer.Write       a match   the text of a resource that is added or changed
//	Finisher.Finish    once      all changes, before the result is put together
//
// Calls for different matches may overlap. What Merge otherwise does beyond single resources is
// left to the Driver: no merge comment is written, nothing new is adapted to local's package, and
// no notice compares the versions.
type Driver interface {
	Strategy
	// Begin begins a merge of three versions. It returns the packages that take part, such as
	// with the items of their Lists (see Package.Unlisted), or without some resources.
	Begin(versions [3]Package) (Run, [3]Package, error)
}

// Run is one merge by a Driver. It may also be a Reader, a Writer and a Finisher. The strategy
// finds it as Match.Run, and the caller of Merge as Result.Run.
type Run interface {
	// Match finds the versions of each resource. known describes the kinds.
	Match(known *schema.Schema) (Matching, error)
}

// Matching is what a Run has matched.
type Matching struct {
	// Matches have an ID and Versions, in the order of Result.Changes: local's resources, then
	// upstream's, then origin's. A resource that no match has takes no part any more.
	Matches []*Match
	// Packages are those that Begin returned, or with files added (see Package.WithFile).
	Packages [3]Package
	// Schema describes the kinds for the rest of the merge: the one that Match got, or that in
	// another column.
	Schema *schema.Schema
}

// Reader is a Run that merges something else than the versions themselves.
type Reader interface {
	// Read makes of the trees of the versions, which are without bookkeeping, the trees that
	// are merged. It must not alter the given ones, and it may be called several times for a
	// match. The warnings become notices about the resource.
	Read(m *Match, versions [3]*yaml.Node) (merged [3]*yaml.Node, warnings []string, err error)
}

// Writer is a Run that writes the resources of the result.
type Writer interface {
	// Write returns the resource of the result's Node, which has local's bookkeeping. Its text
	// counts; the merge chooses the file. Match.Rewrite is the usual way to write.
	Write(m *Match, result merge.Outcome) (*Resource, error)
}

// Finisher is a Run that is told when all resources are merged.
type Finisher interface {
	// Finish gets all changes, placed in their files. The notices come last in the result.
	Finish(changes []*Change) ([]Notice, error)
}

// begin has a strategy that is a Driver begin its run.
func (m *merger) begin() (err error) {
	driver, is := m.strategy.(Driver)
	if !is {
		return nil
	}
	m.options.MergeComments = CommentNever
	m.given = m.packages
	m.driven, m.packages, err = driver.Begin(m.packages)
	return err
}

// matchDriven has the run of a Driver match the versions.
func (m *merger) matchDriven() ([]*Match, error) {
	found, err := m.driven.Match(m.schema)
	if err != nil {
		return nil, err
	}
	m.packages = found.Packages
	if found.Schema != nil {
		m.schema = found.Schema
	}
	matched := map[*Resource]bool{}
	for _, match := range found.Matches {
		m.complete(match, identity.Triple{ID: match.ID})
		match.run, match.packages = m.driven, [3]string{".", ".", "."}
		for _, r := range match.Versions {
			if r != nil && matched[r] {
				return nil, fmt.Errorf("%s: the strategy %s matched it twice", r, m.strategy.Name())
			}
			matched[r] = true
		}
	}
	for side := range m.packages {
		m.packages[side] = m.packages[side].only(matched)
	}
	return found.Matches, nil
}

// Run is the run of the Driver that found the match, nil in a merge without one.
func (m *Match) Run() Run { return m.run }

// readDriven has a Reader make of the trees of the versions the trees that are merged.
func (m *Match) readDriven() (err error) {
	if r, is := m.run.(Reader); is {
		m.trees, m.warnings, err = r.Read(m, m.trees)
	}
	return err
}

// writeDriven writes the tree of the result where a Writer does that, or where the resource is an
// item of a List. side is local if that has the resource, else upstream.
func (c *Change) writeDriven(side identity.Side, tree *yaml.Node, out merge.Outcome) (*resourcelist.Item, error) {
	write := (*Match).Rewrite
	if w, is := c.run.(Writer); is {
		write = w.Write
	}
	if side == identity.Upstream {
		out.Part = parts.Part{Value: tree, From: parts.Upstream}
	} else {
		if out.Part.Value == nil {
			out.Part = parts.Part{Value: tree, From: parts.Upstream, Local: parts.Entry{Value: c.trees[side]}}
		}
		was := c.items[side].Node
		out.Part = out.Part.With(withBookkeeping(tree, was, c.merger.comesOut), was)
	}
	out.Node = out.Part.Value
	written, err := write(c.Match, out)
	if err != nil {
		return nil, err
	}
	if c.Versions[side].in != nil && side == identity.Local {
		c.part = out.Part.With(written.item.Node, nil)
	}
	return written.item, nil
}

// Rewrite writes the Node of a result as text: local's text with edits where it differs, or a text
// of its own, in the form of upstream's, for a resource that local lacks. It has comments of
// local's, and none of upstream's but those in the node.
func (m *Match) Rewrite(result merge.Outcome) (*Resource, error) {
	u, l := m.Versions[identity.Upstream], m.Versions[identity.Local]
	switch {
	case l == nil:
		base := m.items[identity.Upstream]
		if u.in != nil {
			base = u.in.item
		}
		item, err := base.WithNode(result.Node).Encoded()
		return u.withItem(item), err
	case l.in != nil: // its text is a part of the List's
		return l.withItem(resourcelist.NewItem(result.Node)), nil
	}
	full := m.items[identity.Local]
	if result.Node == result.Part.Value {
		if edited := full.Edited(nil, result.Part); edited != nil {
			return l.withItem(edited), nil
		}
	}
	item, err := full.Rewritten(result.Node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return l.withItem(item), nil
}

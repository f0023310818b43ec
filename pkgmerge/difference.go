package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Differences lists in which fields the resource of the merged package differs
// from a side's version (design 19): lists are matched by their keys, and bookkeeping
// does not count. A Kptfile's fields that belong to the copy do not count
// either (design 7). Where one of the two is absent, that is the one difference.
func (c *Change) Differences(side identity.Side) ([]merge.Difference, error) {
	if c.sameAs(side) {
		return nil, nil
	}
	defer c.forget()
	trees, err := kptfileTrees(c.Match)
	if err != nil {
		return nil, err
	}
	result, err := c.resultTree(trees)
	if err != nil {
		return nil, err
	}
	if trees, err = c.asItIs(trees); err != nil {
		return nil, err
	}
	return merge.Differences(trees[side], result, c.kind(trees))
}

// sameAs reports whether the texts alone tell that the result is a side's version.
func (c *Change) sameAs(side identity.Side) bool {
	return c.Action == Unchanged && c.SameText(side, identity.Local)
}

// resultTree is the resource of the merged package without bookkeeping, nil if
// that lacks it.
func (c *Change) resultTree(trees [3]*yaml.Node) (*yaml.Node, error) {
	switch {
	case c.Result == nil:
		return nil, nil
	case c.Action == Unchanged:
		return trees[identity.Local], nil
	}
	tree, err := c.Result.Tree()
	if err != nil {
		return nil, err
	}
	return withoutBookkeeping(tree, c.isBookkeeping), nil
}

// Contents are the versions of the resource and the one of the merged package, nil where
// there is none, without bookkeeping. They must not be altered.
func (c *Change) Contents() (versions [3]*yaml.Node, result *yaml.Node, err error) {
	defer c.forget()
	if versions, err = c.Trees(); err != nil {
		return versions, nil, err
	}
	if result, err = c.resultTree(versions); err != nil {
		return versions, nil, err
	}
	versions, err = c.asItIs(versions)
	return versions, result, err
}

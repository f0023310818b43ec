package resourcelist

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Limits of the copies that replace aliases to other items (rules/input: limits): the number of nodes of all copies
// in a list, and the nesting.
const (
	maxCopied = 100_000
	maxDepth  = 1_000
)

// unlinker makes every item, and the shell, independent of the others: an alias to an anchor elsewhere becomes a copy
// of the anchor's node, so that items can be dropped, moved and changed and the rest stays valid. Aliases within an
// item, and anchors, stay.
type unlinker struct {
	owner  map[*yaml.Node]int // the item of an anchor, -1 for the shell
	copied int
}

// unlink unlinks the items and the shell of list. It is an error if an alias is within its own anchor's node, or if
// the copies exceed a limit.
func unlink(list *List) error {
	u := &unlinker{owner: map[*yaml.Node]int{}}
	aliases := u.learn(-1, list.shell)
	for i, item := range list.Items {
		aliases = u.learn(i, item.Node) || aliases
	}
	if !aliases {
		return nil
	}
	for i, item := range list.Items {
		node, err := u.unlinked(i, item.Node)
		if err != nil {
			return fmt.Errorf("line %d: item %d: %w", item.Line, i+1, err)
		}
		if node != item.Node {
			list.Items[i] = item.WithNode(node)
		}
	}
	shell, err := u.unlinked(-1, list.shell)
	list.shell = shell
	return err
}

// learn records owner as the owner of the anchors below n, and reports whether there are aliases.
func (u *unlinker) learn(owner int, n *yaml.Node) bool {
	aliases := false
	yamlnode.Walk(n, func(n *yaml.Node) {
		aliases = aliases || n.Kind == yaml.AliasNode
		if n.Anchor != "" {
			u.owner[n] = owner
		}
	})
	return aliases
}

// isForeign reports whether n is an alias of an anchor with another owner.
func (u *unlinker) isForeign(owner int, n *yaml.Node) bool {
	if n.Kind != yaml.AliasNode {
		return false
	}
	of, known := u.owner[n.Alias]
	return !known || of != owner
}

// unlinked returns n itself if nothing below it is foreign, else a copy.
func (u *unlinker) unlinked(owner int, n *yaml.Node) (*yaml.Node, error) {
	foreign := false
	yamlnode.Walk(n, func(n *yaml.Node) { foreign = foreign || u.isForeign(owner, n) })
	if !foreign {
		return n, nil
	}
	return u.copy(owner, n, false, 0)
}

// copy copies n, and replaces foreign aliases by copies of their nodes. within is true inside such a copy, which gets
// no anchors.
func (u *unlinker) copy(owner int, n *yaml.Node, within bool, depth int) (*yaml.Node, error) {
	if depth > maxDepth && within {
		return nil, fmt.Errorf("an alias to another item is nested deeper than %d", maxDepth)
	}
	if u.isForeign(owner, n) {
		return u.copyTarget(owner, n, depth)
	}
	c := *n
	if within {
		c.Anchor, c.Column = "", 0
		u.copied++
	}
	if u.copied > maxCopied {
		return nil, fmt.Errorf("aliases to other items grow to more than %d nodes", maxCopied)
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		var err error
		if c.Content[i], err = u.copy(owner, child, within, depth+1); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// copyTarget copies the node of an alias, with the comments of the alias.
func (u *unlinker) copyTarget(owner int, alias *yaml.Node, depth int) (*yaml.Node, error) {
	c, err := u.copy(owner, alias.Alias, true, depth+1)
	if err == nil {
		c.HeadComment, c.LineComment, c.FootComment = alias.HeadComment, alias.LineComment, alias.FootComment
	}
	return c, err
}

package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// set is the patch of a list of scalars that are their own keys, such as finalizers: what is
// new, what goes, and the order.
func (s strategic) set(out *yaml.Node, c *merge.Comparison) error {
	scalars := func(n *yaml.Node) bool {
		return !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return !isScalar(e) })
	}
	switch {
	case !scalars(c.From) || !scalars(c.To):
		return s.unsayable(c, "it merges scalars, and there are others")
	case hasUnkeyed(c):
		return s.unsayable(c, "an element is there twice, and it merges as a set")
	}
	if err := writable(s.form, c.Path, c.To); err != nil {
		return err
	}
	added, gone := list(), list()
	for _, part := range c.Parts {
		switch {
		case part.From == nil:
			added.Content = append(added.Content, value(part))
		case part.To == nil:
			gone.Content = append(gone.Content, part.From)
		}
	}
	if s.form == Kustomize && len(gone.Content) > 0 {
		return s.unsayable(c, "kustomize removes nothing from a list of scalars that merge")
	}
	if s.form == Strategic && len(c.To.Content) > 0 {
		entry(out, setElementOrder+c.Name(), list(c.To.Content...))
	}
	if len(gone.Content) > 0 {
		entry(out, deleteFromList+c.Name(), gone)
	}
	if len(added.Content) > 0 {
		put(out, c, added)
	}
	return nil
}

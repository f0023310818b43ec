package patch

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// mapping is the patch of a map: a null for each field that goes. A struct that keeps the
// keys that it is told gets those of the result.
func (s strategic) mapping(c *merge.Comparison) (*yaml.Node, error) {
	out := yamlnode.EmptyMap()
	for _, part := range c.Parts {
		if err := s.field(out, part); err != nil {
			return nil, err
		}
	}
	if s.form == Strategic && c.Type != nil && c.Type.RetainKeys && len(out.Content) > 0 && len(c.To.Content) > 0 {
		entry(out, retainKeys, names(c.To))
	}
	return out, nil
}

// field adds what differs in a field to the patch of its map.
func (s strategic) field(out *yaml.Node, c *merge.Comparison) error {
	if c.Equal() {
		return nil
	}
	if err := sayableName(s.form, nil, c.Name()); err != nil {
		return err
	}
	switch {
	case c.To == nil:
		put(out, c, null())
	case c.IsMap():
		inner, err := s.mapping(c)
		if err != nil || len(inner.Content) == 0 {
			return err
		}
		put(out, c, inner)
	case c.IsList() && len(c.From.Content) > 0:
		return s.list(out, c)
	default:
		return s.whole(out, c)
	}
	return nil
}

// whole sets a field to the result's value.
func (s strategic) whole(out *yaml.Node, c *merge.Comparison) error {
	if err := writable(s.form, c.Path, c.To); err != nil {
		return err
	}
	if c.IsList() && hasUnkeyed(c) {
		return s.list(out, c)
	}
	put(out, c, value(c))
	return nil
}

// list is the patch of a list whose elements are told apart: what differs in each element,
// new elements, a deletion for each that goes, and their order, if anything differs.
func (s strategic) list(out *yaml.Node, c *merge.Comparison) error {
	switch {
	case c.Keys == nil:
		return s.set(out, c)
	case lacksKey(c):
		return s.unsayable(c, "an element lacks the key "+c.Keys[0])
	case hasUnkeyed(c):
		return s.replace(out, c)
	case s.form == Kustomize:
		if err := s.consistent(c); err != nil {
			return err
		}
	}
	elements := list()
	for _, part := range c.Parts {
		element, err := s.element(c, part)
		if err != nil {
			return err
		}
		if element != nil {
			elements.Content = append(elements.Content, element)
		}
	}
	if s.form == Strategic && len(c.To.Content) > 0 {
		out.Content = append(out.Content, yamlnode.String(setElementOrder+c.Name()), order(c))
	}
	if len(elements.Content) > 0 {
		put(out, c, elements)
	}
	return nil
}

// element is what a patch says of an element, nil if nothing differs there.
func (s strategic) element(of, c *merge.Comparison) (*yaml.Node, error) {
	switch {
	case c.Equal():
		return nil, nil
	case c.To == nil:
		gone := keyOf(of, c.From)
		entry(gone, patchDirective, yamlnode.String("delete"))
		return gone, nil
	case c.From == nil:
		return value(c), writable(s.form, c.Path, c.To)
	}
	inner, err := s.mapping(c)
	if err != nil || len(inner.Content) == 0 {
		return nil, err
	}
	key := keyOf(of, c.From)
	inner.Content = append(key.Content, inner.Content...)
	inner.HeadComment = headComment(c)
	return inner, nil
}

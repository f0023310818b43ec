package patch

import (
	"slices"

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

// strategic writes strategic merge patches, with each directive where apimachinery writes
// it (rules/patches: null), or as kustomize reads them.
type strategic struct{ form Form }

func (s strategic) unsayable(c *merge.Comparison, reason string) error {
	return &Unsayable{Form: s.form, Path: c.Path, Reason: reason}
}

func hasUnkeyed(c *merge.Comparison) bool {
	return slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return part.Unkeyed })
}

// keyOf has the fields by which an element is found: those of its key and, for
// kustomize, those that it finds elements by beside it.
func keyOf(of *merge.Comparison, element *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, name := range of.Keys {
		if v := yamlnode.Field(element, name); v != nil {
			entry(out, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: v.Tag, Value: v.Value, Style: v.Style})
		}
	}
	return out
}

// order lists the keys of the result's elements.
func order(c *merge.Comparison) *yaml.Node {
	out := list()
	for _, element := range c.To.Content {
		out.Content = append(out.Content, keyOf(c, element))
	}
	return out
}

// names lists the fields of a map, sorted.
func names(m *yaml.Node) *yaml.Node {
	out := list()
	for _, name := range slices.Sorted(slices.Values(yamlnode.Names(m))) {
		out.Content = append(out.Content, text(name))
	}
	return out
}

// replace has a list replaced whole, whose elements its key does not tell apart.
func (s strategic) replace(out *yaml.Node, c *merge.Comparison) error {
	if s.form != Strategic {
		return s.unsayable(c, "the key "+c.Keys[0]+" does not tell its elements apart")
	}
	if err := writable(s.form, c.Path, c.To); err != nil {
		return err
	}
	if isScattered(c.To.Content, c.Keys[0]) {
		return s.unsayable(c, "it brings together elements with the same "+c.Keys[0])
	}
	directive := yamlnode.EmptyMap()
	entry(directive, patchDirective, yamlnode.String("replace"))
	whole := value(c)
	whole.Content = slices.Concat([]*yaml.Node{directive}, whole.Content)
	put(out, c, whole)
	return nil
}

// lacksKey reports whether an element has no value, or a null, as its key.
func lacksKey(c *merge.Comparison) bool {
	lacks := func(n *yaml.Node) bool {
		v := yamlnode.Field(n, c.Keys[0])
		return v == nil || v.ShortTag() == "!!null"
	}
	return slices.ContainsFunc(c.From.Content, lacks) || slices.ContainsFunc(c.To.Content, lacks)
}

// isScattered reports whether elements of one key have others between them.
func isScattered(elements []*yaml.Node, key string) bool {
	closed := map[string]bool{}
	for i, e := range elements {
		is := yamlnode.Text(yamlnode.Field(e, key))
		if closed[is] {
			return true
		}
		if i+1 < len(elements) && yamlnode.Text(yamlnode.Field(elements[i+1], key)) != is {
			closed[is] = true
		}
	}
	return false
}

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

// The directives of strategic merge.
const (
	patchDirective  = "$patch"
	retainKeys      = "$retainKeys"
	setElementOrder = "$setElementOrder/"
	deleteFromList  = "$deleteFromPrimitiveList/"
)

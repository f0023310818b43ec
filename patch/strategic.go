package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// mapping returns the patch of a map: a null for each removed field. A struct that retains only
// listed keys gets the list of the result's keys.
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

// field adds the difference of a field to the patch of its map.
func (s strategic) field(out *yaml.Node, c *merge.Comparison) error {
	if c.Equal() {
		return nil
	}
	if err := checkName(s.form, nil, c.Name()); err != nil {
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
	if err := checkValue(s.form, c.Path, c.To); err != nil {
		return err
	}
	if c.IsList() && hasUnkeyed(c) {
		return s.list(out, c)
	}
	put(out, c, value(c))
	return nil
}

// list adds the patch of an associative list: the difference of each element, new elements, a
// deletion for each removed one, and their order.
func (s strategic) list(out *yaml.Node, c *merge.Comparison) error {
	switch {
	case c.Keys == nil:
		return s.set(out, c)
	case lacksKey(c):
		return s.inexpressible(c, "an element lacks the key "+c.Keys[0])
	case hasUnkeyed(c):
		return s.replace(out, c)
	case s.form == Kustomize:
		if err := s.checkSecondKeys(c); err != nil {
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

// element returns the patch of an element, nil if nothing differs.
func (s strategic) element(of, c *merge.Comparison) (*yaml.Node, error) {
	switch {
	case c.Equal():
		return nil, nil
	case c.To == nil:
		gone := keyOf(of, c.From)
		entry(gone, patchDirective, yamlnode.String("delete"))
		return gone, nil
	case c.From == nil:
		return value(c), checkValue(s.form, c.Path, c.To)
	}
	inner, err := s.mapping(c)
	if err != nil || len(inner.Content) == 0 {
		return nil, err
	}
	for _, name := range of.Keys {
		if s.form == Strategic && yamlnode.Field(inner, name) != nil { // kustomize reads both as one value
			return nil, s.inexpressible(c, "it writes the key "+name+" in another way")
		}
	}
	key := keyOf(of, c.From)
	inner.Content = append(key.Content, inner.Content...)
	inner.HeadComment = headComment(c)
	return inner, nil
}

// strategic makes strategic merge patches, with each directive where apimachinery writes it
// (rules/patches: null), or as kustomize reads them.
type strategic struct{ form Form }

func (s strategic) inexpressible(c *merge.Comparison, reason string) error {
	return inexpressible(s.form, c.Path, reason)
}

func hasUnkeyed(c *merge.Comparison) bool {
	return slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return part.Unkeyed })
}

// keyOf returns the fields by which an element is found.
func keyOf(of *merge.Comparison, element *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, name := range of.Keys {
		if v := yamlnode.Field(element, name); v != nil {
			entry(out, name, plain(v))
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

// replace adds a patch that replaces a list with duplicate keys.
func (s strategic) replace(out *yaml.Node, c *merge.Comparison) error {
	if s.form != Strategic {
		return s.inexpressible(c, "the key "+c.Keys[0]+" does not tell its elements apart")
	}
	if err := checkValue(s.form, c.Path, c.To); err != nil {
		return err
	}
	if isScattered(c.To.Content, c.Keys[0]) {
		return s.inexpressible(c, "it brings together elements with the same "+c.Keys[0])
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
	return slices.ContainsFunc(slices.Concat(c.From.Content, c.To.Content), func(n *yaml.Node) bool {
		v := yamlnode.Field(n, c.Keys[0])
		return v == nil || v.ShortTag() == "!!null"
	})
}

// isScattered reports whether equal keys have other elements between them.
func isScattered(elements []*yaml.Node, key string) bool {
	last := map[string]int{}
	for i, e := range elements {
		k := yamlnode.Text(yamlnode.Field(e, key))
		if at, found := last[k]; found && at < i-1 {
			return true
		}
		last[k] = i
	}
	return false
}

// set adds the patch of a list of scalars that are their own keys, such as finalizers: the new
// scalars, the removed ones, and the order.
func (s strategic) set(out *yaml.Node, c *merge.Comparison) error {
	if err := s.checkSet(c); err != nil {
		return err
	}
	added, gone := setChanges(c)
	if s.form == Kustomize && len(gone.Content) > 0 {
		return s.inexpressible(c, "kustomize removes nothing from a list of scalars that merge")
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

// checkSet returns an error for a list that is no set of scalars.
func (s strategic) checkSet(c *merge.Comparison) error {
	switch {
	case slices.ContainsFunc(slices.Concat(c.From.Content, c.To.Content), func(e *yaml.Node) bool { return !isScalar(e) }):
		return s.inexpressible(c, "it merges as a set of scalars, and has other elements")
	case hasUnkeyed(c):
		return s.inexpressible(c, "it merges as a set, and has an element twice")
	}
	return checkValue(s.form, c.Path, c.To)
}

// setChanges returns the scalars that a set gains and loses.
func setChanges(c *merge.Comparison) (added, gone *yaml.Node) {
	added, gone = list(), list()
	for _, part := range c.Parts {
		switch {
		case part.From == nil:
			added.Content = append(added.Content, value(part))
		case part.To == nil:
			gone.Content = append(gone.Content, part.From)
		}
	}
	return added, gone
}

// The directives of strategic merge.
const (
	patchDirective  = "$patch"
	retainKeys      = "$retainKeys"
	setElementOrder = "$setElementOrder/"
	deleteFromList  = "$deleteFromPrimitiveList/"
)

// checkSecondKeys returns an error if kustomize would not find the elements of a patch. It has two
// keys for some lists for which strategic merge has one, and no default for an absent key. So
// either all elements of both versions must have the second key, each the same in both, or none.
func (s strategic) checkSecondKeys(c *merge.Comparison) error {
	if slices.Contains([]string{"resourceClaims", "schedulingGates", "matchConditions"}, c.Name()) {
		return s.inexpressible(c, "kustomize does not know yet that its elements have keys")
	}
	second := secondKey(c)
	if second == "" {
		return nil
	}
	none, all := shareKey(c, second)
	switch {
	case all:
		c.Keys = append(slices.Clone(c.Keys), second)
	case !none:
		return s.inexpressible(c, "kustomize finds its elements by "+second+" too, which some have and some lack")
	}
	return nil
}

// shareKey reports whether no element has a key, and whether all have it, each the same in both versions.
func shareKey(c *merge.Comparison, key string) (none, all bool) {
	none, all = true, true
	for _, e := range slices.Concat(c.From.Content, c.To.Content) {
		has := yamlnode.Field(e, key) != nil
		none, all = none && !has, all && has
	}
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil && yamlnode.Text(yamlnode.Field(part.From, key)) != yamlnode.Text(yamlnode.Field(part.To, key)) {
			all, none = false, false
		}
	}
	return none, all
}

// secondKey returns the second key that kustomize has for a list with one key, "" if there is none.
func secondKey(of *merge.Comparison) string {
	switch {
	case len(of.Keys) != 1:
	case of.Name() == "ports" && (of.Keys[0] == "containerPort" || of.Keys[0] == "port"):
		return "protocol"
	case of.Name() == "topologySpreadConstraints":
		return "whenUnsatisfiable"
	}
	return ""
}

// checkLists returns an error if kustomize would lose an element of a list with any patch: it reads
// every list of the resource, and takes elements with equal keys for one.
func checkLists(typ *schema.Type, at *merge.Path, n *yaml.Node) error {
	if typ == nil {
		return nil
	}
	if typ.Relation != schema.Atomic && n.Kind == yaml.SequenceNode {
		if reason := sameKeys(typ, at, n.Content); reason != "" {
			return inexpressible(Kustomize, at, reason)
		}
		for _, e := range n.Content {
			if err := checkLists(typ.Element(), at, e); err != nil {
				return err
			}
		}
	}
	for key, v := range yamlnode.Pairs(n) {
		if err := checkLists(typ.Field(key.Value), at.Field(key.Value), v); err != nil {
			return err
		}
	}
	return nil
}

// sameKeys returns the reason why kustomize would take some elements of a list for one, "" if it does not.
func sameKeys(list *schema.Type, at *merge.Path, elements []*yaml.Node) string {
	of, seen := &merge.Comparison{Path: at}, map[string][]string{}
	if len(list.Keys) > 0 {
		of.Keys = []string{list.Keys[0].Name}
	}
	for _, e := range elements {
		first, second := keysOf(of, e)
		if first == nil {
			return "kustomize does not keep apart elements that lack the key " + of.Keys[0]
		}
		key := yamlnode.Text(first)
		for _, other := range seen[key] {
			if other == second || other == "" || second == "" {
				return "kustomize takes two elements for one, since they have the same key"
			}
		}
		seen[key] = append(seen[key], second)
	}
	return ""
}

// keysOf returns the values by which kustomize finds an element. An element of a set is its own key.
func keysOf(of *merge.Comparison, element *yaml.Node) (first *yaml.Node, second string) {
	if of.Keys == nil {
		return element, ""
	}
	if first = yamlnode.Field(element, of.Keys[0]); first != nil && (first.ShortTag() == "!!null" || first.Value == "") {
		first = nil
	}
	return first, yamlnode.Text(yamlnode.Field(element, secondKey(of)))
}

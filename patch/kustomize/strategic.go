// Package kustomize applies patches to resources as kustomize does, and builds kustomizations as far as their layers see it (rules/review:
// patches). A Builder notes for each entry of patches, images, replicas and replacements which resources it met: kustomize
// is silent about an entry that meets none.
package kustomize

import (
	"errors"
	"slices"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// errUnknown is the reason of a patch that cannot be judged.
var errUnknown = errors.New("a directive of the patch is not known")

// Strategic applies strategic merge patches as kustomize does (rules/review: patches). Known has the kinds, with the keys of their lists.
type Strategic struct{ Known *schema.Schema }

// Apply returns a resource with a patch, nil if the patch deletes it. Neither argument changes.
func (s Strategic) Apply(resource, patch *yamlnodes.Node) (*yamlnodes.Node, error) {
	m := yamlnode.MetaOf(resource)
	out, err := s.value(resource, patch, s.Known.Resource(m.Group(), m.Version(), m.Kind).Type)
	if err != nil || out == nil {
		return nil, err
	}
	for _, field := range []string{"apiVersion", "kind"} {
		out = yamlnode.WithField(out, field, yamlnode.Field(resource, field))
	}
	for _, field := range []string{"name", "namespace"} { // a patch has them to name its target
		out = yamlnode.Set(out, nil, yamlnode.Lookup(resource, "metadata", field), "metadata", field)
	}
	return out, nil
}

// Directive returns the $patch of a map.
func Directive(n *yamlnodes.Node) string { return yamlnode.Text(yamlnode.Field(n, "$patch")) }

// value returns a value with a patch, nil if it goes.
func (s Strategic) value(base, patch *yamlnodes.Node, t *schema.Type) (*yamlnodes.Node, error) {
	patch, base = yamlnode.Resolve(patch), yamlnode.Resolve(base)
	switch {
	case yamlnode.IsNull(patch):
		return nil, nil
	case patch.Kind == yamlnodes.MappingNode && Directive(patch) == "delete":
		return nil, nil
	case patch.Kind == yamlnodes.MappingNode && Directive(patch) != "replace" && base != nil && base.Kind == yamlnodes.MappingNode:
		return s.mapping(base, patch, t)
	case patch.Kind == yamlnodes.SequenceNode && base != nil && base.Kind == yamlnodes.SequenceNode:
		return s.list(base, patch, t)
	case base == nil && len(patch.Content) > 0: // directives and nulls count there, too
		return s.added(patch, t)
	}
	return cleaned(patch), nil
}

// added returns a map or list of a patch that the base lacks.
func (s Strategic) added(patch *yamlnodes.Node, t *schema.Type) (*yamlnodes.Node, error) {
	empty := &yamlnodes.Node{Kind: patch.Kind, Tag: patch.Tag}
	if patch.Kind == yamlnodes.MappingNode {
		return s.mapping(empty, patch, t)
	}
	return s.list(empty, patch, t)
}

// cleaned returns a value of a patch without the directives in it.
func cleaned(n *yamlnodes.Node) *yamlnodes.Node {
	if n.Kind != yamlnodes.MappingNode {
		return n
	}
	return yamlnode.Without(n, func(name string) bool { return name == "$patch" })
}

// mapping returns a map with a patch.
func (s Strategic) mapping(base, patch *yamlnodes.Node, t *schema.Type) (*yamlnodes.Node, error) {
	out := yamlnodes.Node{Kind: yamlnodes.MappingNode, Tag: "!!map"}
	for key, was := range yamlnode.Pairs(base) {
		is, changes := was, yamlnode.Field(patch, key.Value)
		if changes != nil {
			var err error
			if is, err = s.value(was, changes, t.Field(key.Value)); err != nil {
				return nil, err
			}
		}
		if is != nil {
			out.Content = append(out.Content, key, is)
		}
	}
	for key, is := range yamlnode.Pairs(patch) {
		switch {
		case key.Value == "$patch" || yamlnode.Field(base, key.Value) != nil:
		case len(key.Value) > 0 && key.Value[0] == '$' && key.Value != "$patch":
			return nil, errUnknown
		default:
			added, err := s.value(nil, is, t.Field(key.Value))
			if err != nil {
				return nil, err
			}
			if added != nil {
				out.Content = append(out.Content, key, added)
			}
		}
	}
	return &out, nil
}

// KeyOf returns the field that tells the elements of a list apart, "" if the list is replaced whole. Kustomize takes more than one field for
// some lists.
func KeyOf(t *schema.Type) string {
	if t == nil || t.Relation != schema.ListMap || len(t.Keys) == 0 {
		return ""
	}
	return t.Keys[0].Name
}

// list returns a list with a patch: the elements that the patch names first, as kustomize has them.
func (s Strategic) list(base, patch *yamlnodes.Node, t *schema.Type) (*yamlnodes.Node, error) {
	key := KeyOf(t)
	switch {
	case slices.ContainsFunc(patch.Content, func(e *yamlnodes.Node) bool { return Directive(e) == "replace" }):
		return &yamlnodes.Node{Kind: yamlnodes.SequenceNode, Tag: "!!seq", Content: slices.DeleteFunc(slices.Clone(patch.Content), func(e *yamlnodes.Node) bool { return Directive(e) == "replace" })}, nil
	case t != nil && t.Relation == schema.Set:
		return nil, errors.New("the list merges as a set")
	case key == "":
		return patch, nil
	}
	out := yamlnodes.Node{Kind: yamlnodes.SequenceNode, Tag: "!!seq"}
	named := map[string]bool{}
	for _, e := range patch.Content {
		name := yamlnode.Field(e, key)
		if name == nil {
			return nil, errors.New("an element of the patch lacks the key " + key)
		}
		named[name.Value] = true
		is, err := s.value(Element(base, key, name.Value), e, t.Elem)
		if err != nil {
			return nil, err
		}
		if is != nil {
			out.Content = append(out.Content, is)
		}
	}
	for _, e := range base.Content {
		if name := yamlnode.Field(e, key); name == nil || !named[name.Value] {
			out.Content = append(out.Content, e)
		}
	}
	return &out, nil
}

// Element returns the element of a list with a key, nil if there is none.
func Element(list *yamlnodes.Node, key, name string) *yamlnodes.Node {
	for _, e := range yamlnode.Elements(list) {
		if yamlnode.Text(yamlnode.Field(e, key)) == name {
			return e
		}
	}
	return nil
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Immutable lists where the result of an apply differs from the live object in
// what the API server lets nobody change (design 13). What the server sees
// alike is no difference: a default and no value, an empty list and none, null
// and none. Either object may be nil, and then nothing is compared. A version that
// cannot be merged is a Fault.
func Immutable(live, result *yaml.Node, kind schema.Resource) ([]Difference, error) {
	rules := kind.Immutable()
	if live == nil || result == nil || len(rules) == 0 {
		return nil, nil
	}
	versions, err := prepareAll([3]*yaml.Node{local: live, upstream: result})
	if err != nil {
		return nil, err
	}
	live, result = withoutNothing(versions[local]), withoutNothing(versions[upstream])
	var out []Difference
	for _, rule := range rules {
		if !rule.If.Holds(live) {
			continue
		}
		found, err := Differences(storedAlike(live, rule), storedAlike(result, rule), kind)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if isFixed(d, rule) {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// isFixed reports whether a difference is one that a rule forbids: at the rule's
// field or below it, or above it where one object lacks all that leads there.
func isFixed(d Difference, rule schema.ImmutableRule) bool {
	steps := d.Path.Steps()
	for i, step := range steps {
		if i < len(rule.Path) && rule.Path[i] != schema.AnyElement && (step.Keys != nil || rule.Path[i] != step.Field) {
			return false
		}
	}
	if len(steps) > len(rule.Path) {
		return true
	}
	if below := rule.Path[len(steps):]; len(below) > 0 {
		return !rule.Both && !slices.Contains(rule.Path, schema.AnyElement) &&
			(yamlnode.Lookup(d.From, below...) != nil) != (yamlnode.Lookup(d.To, below...) != nil)
	}
	return !rule.Both || d.From != nil && d.To != nil
}

// storedAlike is an object without what a rule excepts, and with the defaults
// that the API server gives to what the rule is about.
func storedAlike(n *yaml.Node, rule schema.ImmutableRule) *yaml.Node {
	for _, path := range rule.Except {
		n = editAt(n, slices.Concat(rule.Path, path), func(m *yaml.Node, name string) *yaml.Node {
			return yamlnode.Without(m, func(other string) bool { return other == name })
		})
	}
	for _, d := range rule.Defaults {
		n = editAt(n, slices.Concat(rule.Path, d.Path), func(m *yaml.Node, name string) *yaml.Node {
			if yamlnode.Field(m, name) != nil {
				return m
			}
			v := &yaml.Node{Kind: yaml.ScalarNode, Value: d.Value}
			v.Tag = v.ShortTag()
			return yamlnode.Put(m, nil, name, v)
		})
	}
	return n
}

// editAt is n with the maps that have the last field of a path edited. A map
// that the edit leaves empty goes.
func editAt(n *yaml.Node, path []string, edit func(m *yaml.Node, name string) *yaml.Node) *yaml.Node {
	if path[0] == schema.AnyElement && n.Kind == yaml.SequenceNode {
		out := *n
		out.Content = nil
		for _, element := range n.Content {
			out.Content = append(out.Content, editAt(element, path[1:], edit))
		}
		return &out
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	if len(path) == 1 {
		return edit(n, path[0])
	}
	child := yamlnode.Field(n, path[0])
	if child == nil {
		return n
	}
	edited := editAt(child, path[1:], edit)
	if edited.Kind == yaml.MappingNode && len(edited.Content) == 0 && len(child.Content) > 0 {
		return yamlnode.Without(n, func(name string) bool { return name == path[0] })
	}
	return yamlnode.WithField(n, path[0], edited)
}

// withoutNothing is a value without the fields that the API server stores as if
// they were absent: nulls and empty lists.
func withoutNothing(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = nil
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			out.Content = append(out.Content, withoutNothing(c))
		case i%2 == 1 && !isNull(c) && (c.Kind != yaml.SequenceNode || len(c.Content) > 0):
			out.Content = append(out.Content, n.Content[i-1], withoutNothing(c))
		}
	}
	return &out
}

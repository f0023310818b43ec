package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Reaches reports whether a resource has something at a path of the pattern.
// Lists are searched whatever their keys are; a part of a key that an element
// lacks may have a default, so another part of it decides.
func (p Pattern) Reaches(n *yaml.Node) bool {
	return reaching{p, map[reached]bool{}}.below(n, 0)
}

// reaching follows a pattern; it comes by a node that has aliases once for each
// step.
type reaching struct {
	pattern Pattern
	seen    map[reached]bool
}

type reached struct {
	node *yaml.Node
	step int
}

func (r reaching) below(n *yaml.Node, at int) bool {
	if n == nil || r.seen[reached{n, at}] {
		return false
	}
	r.seen[reached{n, at}] = true
	switch {
	case n.Kind == yaml.AliasNode:
		return r.below(n.Alias, at)
	case at == len(r.pattern):
		return true
	case n.Kind == yaml.MappingNode:
		return r.field(n, at)
	case n.Kind == yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(c *yaml.Node) bool {
			return r.pattern[at].isOf(yamlnode.Resolve(c)) && r.below(c, at+1)
		})
	}
	return false
}

func (r reaching) field(n *yaml.Node, at int) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" && r.below(v, at) || r.pattern[at].isField(key.Value) && r.below(v, at+1) {
			return true
		}
	}
	return false
}

func (s step) isField(name string) bool { return !s.any && s.keys == nil && s.field == name }

// isOf reports whether the step leads to an element of a list.
func (s step) isOf(element *yaml.Node) bool {
	found := s.any
	for _, k := range s.keys {
		part := element
		if k.name != "" {
			part = yamlnode.Lookup(element, strings.Split(k.name, ".")...)
		}
		if part != nil && (part.Kind != yaml.ScalarNode || nodeText(part) != k.text) {
			return false
		}
		found = found || part != nil
	}
	return found
}

package krmfunction

import (
	"go.yaml.in/yaml/v3"
)

// eachEntry visits the entries that two maps both have, in from's order, until
// visit returns false, and returns what the last visit did.
func eachEntry(from, to *yaml.Node, visit func(fromKey, toKey, fromValue, toValue *yaml.Node) bool) bool {
	index := make(map[string]int, len(to.Content)/2)
	for i := 0; i+1 < len(to.Content); i += 2 {
		index[to.Content[i].Value] = i
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		j, found := index[from.Content[i].Value]
		if found && !visit(from.Content[i], to.Content[j], from.Content[i+1], to.Content[j+1]) {
			return false
		}
	}
	return true
}

func isNullNode(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func deepCopy(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = deepCopy(c)
	}
	return &out
}

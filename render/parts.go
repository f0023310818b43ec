package render

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// parted is a list, or a text of several lines, of which two renders have some parts differently.
type parted struct {
	node   *yaml.Node
	parts  []*yaml.Node
	random []int
}

// newParted compares the parts of a value in two renders of one version. ok is false if they are not the same number.
func newParted(first, second *yaml.Node) (p parted, ok bool) {
	a, b := partsOf(first), partsOf(second)
	if len(a) < 2 || len(a) != len(b) {
		return p, false
	}
	p = parted{node: first, parts: slices.Clone(a)}
	for i := range a {
		if !merge.Same(a[i], b[i]) {
			p.random = append(p.random, i)
		}
	}
	return p, true
}

// partsOf returns the elements of a list, or the lines of a text.
func partsOf(n *yaml.Node) (parts []*yaml.Node) {
	if n == nil || n.Kind != yaml.ScalarNode {
		return yamlnode.Elements(n)
	}
	for line := range strings.Lines(n.Value) {
		parts = append(parts, yamlnode.String(line))
	}
	return parts
}

// whole returns the value of the parts.
func (p parted) whole() *yaml.Node {
	out := *p.node
	if out.Kind == yaml.SequenceNode {
		out.Content = p.parts
		return &out
	}
	out.Value = ""
	for _, line := range p.parts {
		out.Value += line.Value
	}
	return &out
}

// withLocals gives the random parts of both versions local's values: then neither side changed them, and the other
// parts merge. ok is false unless both versions have as many random parts, and local has a part for each.
func withLocals(origin, upstream parted, local *yaml.Node) (ok bool) {
	locals, was := partsOf(local), slices.Clone(origin.parts)
	if len(origin.random) == 0 || len(origin.random) != len(upstream.random) || local.Kind != origin.node.Kind || local.Kind != upstream.node.Kind {
		return false
	}
	at := make([]int, len(origin.random))
	for k, i := range origin.random {
		if at[k] = counterpart(locals, was, i); at[k] < 0 {
			return false
		}
	}
	for k, i := range at {
		origin.parts[origin.random[k]], upstream.parts[upstream.random[k]] = locals[i], locals[i]
	}
	return true
}

// counterpart returns the index of local's part for one of origin's: the same index if there are as many, else the only
// one after, or before, the same neighbour; -1 if there is none.
func counterpart(local, origin []*yaml.Node, i int) int {
	if len(local) == len(origin) {
		return i
	}
	for _, beside := range [2]int{-1, 1} {
		found, count := -1, 0
		neighbour := partAt(origin, i+beside)
		for at := range local {
			if neighbour != nil && merge.Same(partAt(local, at+beside), neighbour) {
				found, count = at, count+1
			}
		}
		if count == 1 {
			return found
		}
	}
	return -1
}

// partAt returns a part, nil if there is none of that index.
func partAt(parts []*yaml.Node, i int) *yaml.Node {
	if i < 0 || i >= len(parts) {
		return nil
	}
	return parts[i]
}

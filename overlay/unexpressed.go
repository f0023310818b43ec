package overlay

import (
	"math/big"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Unexpressed is a change of the fork that the overlay cannot express, or that kustomize builds
// differently (rules/overlay: changes that the overlay cannot express).
type Unexpressed struct {
	// Subject is a resource or a file.
	Subject string
	// Path is the field, "" for the whole.
	Path string
	Text string
}

// String returns the subject, the path if any, and the text, separated by colons.
func (u Unexpressed) String() string {
	if u.Path != "" {
		return u.Subject + ": " + u.Path + ": " + u.Text
	}
	return u.Subject + ": " + u.Text
}

// subject returns the kind, namespace and name of a resource.
func subject(t yamlnode.Meta) string { return wording.Object(t.Kind, t.Namespace, t.Name) }

// rounded returns the paths of the integers below a path that no 64-bit float equals: kustomize reads
// the numbers of a resource as such floats when it applies a JSON patch.
func rounded(n *yaml.Node, at *merge.Path) (paths []string) {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			paths = append(paths, rounded(n.Content[i+1], at.Field(n.Content[i].Value))...)
		}
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			paths = append(paths, rounded(e, at)...)
		}
	case n.ShortTag() == "!!int", n.ShortTag() == "!!float": // an integer of more than 64 bits is a float to the parser
		if number, isInteger := new(big.Int).SetString(n.Value, 0); isInteger {
			if _, accuracy := new(big.Float).SetInt(number).Float64(); accuracy != big.Exact {
				paths = append(paths, at.String())
			}
		}
	}
	return paths
}

// reordered returns the paths of the lists whose order a strategic patch changes: the patch puts the
// elements that it names first.
func reordered(c *merge.Comparison) (paths []string) {
	if c == nil || c.Equal() {
		return nil
	}
	if c.IsList() && !keepsOrder(c) {
		paths = append(paths, c.Path.String())
	}
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil {
			paths = append(paths, reordered(part)...)
		}
	}
	return paths
}

// keepsOrder reports whether kustomize builds a list in the fork's order.
func keepsOrder(c *merge.Comparison) bool {
	var built []*yaml.Node
	for _, part := range c.Parts {
		if part.To != nil && !part.Equal() {
			built = append(built, part.To)
		}
	}
	rest := slices.Clone(c.Parts)
	slices.SortStableFunc(rest, func(a, b *merge.Comparison) int { return a.FromAt - b.FromAt })
	for _, part := range rest {
		if part.From != nil && part.To != nil && part.Equal() {
			built = append(built, part.To)
		}
	}
	return slices.Equal(built, c.To.Content)
}

// differsOnlyInOrder reports whether two versions are equal except for the order of lists with
// keys.
func differsOnlyInOrder(c *merge.Comparison) bool {
	switch {
	case c.Equal():
		return true
	case c.From == nil || c.To == nil || c.Unkeyed || !c.IsMap() && !c.IsList():
		return false
	}
	return !slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return !differsOnlyInOrder(part) })
}

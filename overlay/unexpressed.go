package overlay

import (
	"math/big"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Unsaid is what kustomize cannot say of a fork, or says otherwise than the fork does
// (rules/overlay: changes that the overlay cannot express).
type Unsaid struct {
	// Subject is a resource or a file.
	Subject string
	// Path is the field, "" for the whole.
	Path string
	Text string
}

// String is a line of text.
func (u Unsaid) String() string {
	if u.Path != "" {
		return u.Subject + ": " + u.Path + ": " + u.Text
	}
	return u.Subject + ": " + u.Text
}

// subject names a resource.
func subject(t yamlnode.Meta) string {
	if t.Namespace != "" {
		return t.Kind + " " + t.Namespace + "/" + t.Name
	}
	return t.Kind + " " + t.Name
}

// rounded finds the fields, and the lists, with an integer that no float of 64 bits equals:
// kustomize reads all numbers of a resource as such floats to apply a JSON patch to it.
func rounded(n *yaml.Node, at *merge.Path, found func(*merge.Path)) {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			rounded(n.Content[i+1], at.Field(n.Content[i].Value), found)
		}
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			rounded(e, at, found)
		}
	case n.ShortTag() == "!!int", n.ShortTag() == "!!float": // an integer of more than 64 bits is a float to the parser
		if number, isInteger := new(big.Int).SetString(n.Value, 0); isInteger {
			if _, accuracy := new(big.Float).SetInt(number).Float64(); accuracy != big.Exact {
				found(at)
			}
		}
	}
}

// orders finds lists that come out in another order than the fork has them in: a strategic
// patch puts the elements that it names first.
func orders(c *merge.Comparison, found func(*merge.Path)) {
	if c.Equal() {
		return
	}
	if c.IsList() && !inOrder(c) {
		found(c.Path)
	}
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil {
			orders(part, found)
		}
	}
}

// inOrder reports whether kustomize brings a list's elements into the fork's order.
func inOrder(c *merge.Comparison) bool {
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

// sameButOrder reports whether two versions differ in nothing but the order of lists with
// keys.
func sameButOrder(c *merge.Comparison) bool {
	switch {
	case c.Equal():
		return true
	case c.From == nil || c.To == nil || c.Unkeyed || !c.IsMap() && !c.IsList():
		return false
	}
	return !slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return !sameButOrder(part) })
}

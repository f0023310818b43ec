package marker

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// mixes reports whether mixtures of the sides can be read: all of ours, all of theirs,
// and every other one of each.
func (p Pieces) mixes() bool {
	for _, choose := range Mixtures() {
		if text, err := manifest.Document(p.Resolve(choose)); err != nil || repeats(text.Root()) {
			return false
		}
	}
	return true
}

// Mixtures are the choices of sides by which a text with conflicts is tried.
func Mixtures() [4]func(int) Side {
	return [4]func(int) Side{
		func(int) Side { return Ours },
		func(int) Side { return Theirs },
		func(n int) Side { return Side(n % 2 * int(Theirs)) },
		func(n int) Side { return Side((n + 1) % 2 * int(Theirs)) },
	}
}

// repeats reports whether a map has a key twice.
func repeats(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; key.Kind == yaml.ScalarNode {
				if seen[key.Value] {
					return true
				}
				seen[key.Value] = true
			}
		}
	}
	for _, c := range n.Content {
		if repeats(c) {
			return true
		}
	}
	return false
}

// isFaithful reports whether the lists in a value that was merged line by line have each scalar
// as often as the changes of the sides say (design 3.1). One that both sides added in two places
// is there too often. Where no line collides, so is one that one side moved and the other
// removed. Elements of lists answer to each other by their place.
func isFaithful(versions [3]*yaml.Node, merged *yaml.Node, clean bool) bool {
	for _, n := range versions {
		if n == nil || n.Kind != merged.Kind {
			return true
		}
	}
	switch merged.Kind {
	case yaml.MappingNode:
		var fields [3]func(string) *yaml.Node
		for side, n := range versions {
			fields[side] = yamlnode.Fields(n)
		}
		for i := 0; i+1 < len(merged.Content); i += 2 {
			name := merged.Content[i].Value
			if !isFaithful([3]*yaml.Node{fields[Ours](name), fields[Base](name), fields[Theirs](name)}, merged.Content[i+1], clean) {
				return false
			}
		}
	case yaml.SequenceNode:
		if !hasScalars(versions, merged, clean) {
			return false
		}
		for i, e := range merged.Content {
			var at [3]*yaml.Node
			for side, n := range versions {
				if len(n.Content) != len(merged.Content) {
					return true
				}
				at[side] = n.Content[i]
			}
			if !isFaithful(at, e, clean) {
				return false
			}
		}
	}
	return true
}

// hasScalars reports whether a merged list has each scalar as often as the changes of the sides say.
func hasScalars(versions [3]*yaml.Node, merged *yaml.Node, clean bool) bool {
	const last = len(versions)
	counts := map[string]*[last + 1]int{}
	for at, list := range [last + 1]*yaml.Node{versions[Ours], versions[Base], versions[Theirs], merged} {
		for _, e := range list.Content {
			text := e.ShortTag() + " " + e.Value
			if e.Kind != yaml.ScalarNode || strings.Contains(e.Value, "\n") {
				continue
			}
			if counts[text] == nil {
				counts[text] = &[last + 1]int{}
			}
			counts[text][at]++
		}
	}
	for _, n := range counts {
		most := max(n[Ours], n[Base], n[Theirs])
		switch {
		case n[last] > 1 && n[last] > most && (most == 1 || n[Base] == 0):
			return false
		case clean && n[Base] == n[Ours] && n[last] != n[Theirs], clean && n[Base] == n[Theirs] && n[last] != n[Ours]:
			return false
		}
	}
	return true
}

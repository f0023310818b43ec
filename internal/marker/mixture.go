package marker

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
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

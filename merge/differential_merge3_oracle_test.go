package merge

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// merged3 is the answer of kyaml's merge3, which kpt pkg update merges with.
func merged3(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error) {
	n, err := mergeBy3(encode(sides))
	if err != nil {
		return nil, err
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, fmt.Errorf("decoding the answer: %w", err)
	}
	return kind.theirs.FromUnstructured(v, typed.AllowDuplicates)
}

// mergeBy3 has kyaml merge copies of nodes: it alters what it is given.
func mergeBy3(versions [3]*yaml.Node) (*yaml.Node, error) {
	var copies [3]*kyaml.RNode
	for side, n := range versions {
		copies[side] = kyaml.NewRNode(clone(n))
	}
	merged, err := merge3.Merge(copies[local], copies[origin], copies[upstream])
	if err != nil {
		return nil, fmt.Errorf("merge3: %w", err)
	}
	return merged.YNode(), nil
}

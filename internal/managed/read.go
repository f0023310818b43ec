package managed

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Read reads the fieldsV1 of an entry. A place without anything below it is in
// the set, and one that has "." too, but for the object itself, which nobody owns.
func Read(fields *yaml.Node) (*Set, error) {
	s, err := read(fields)
	if !s.HasBelow() {
		return nil, err
	}
	return &Set{children: s.children}, err
}

func read(fields *yaml.Node) (*Set, error) {
	fields = yamlnode.Resolve(fields)
	if fields == nil {
		return nil, nil
	}
	if fields.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want a map of steps", fields.Line)
	}
	out := Builder{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key := fields.Content[i]
		if key.Value == "." {
			out.Member = true
			continue
		}
		step, known, err := parseStep(key.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", key.Line, err)
		}
		if !known {
			continue
		}
		below, err := read(fields.Content[i+1])
		if err != nil {
			return nil, err
		}
		out.Add(step, below)
	}
	out.Member = out.Member || len(out.children) == 0
	return out.Set(), nil
}

package function

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// fieldOf is the value of a field of a mapping, an alias followed; nil if
// mapping is none or lacks the field.
func fieldOf(mapping *yaml.Node, name string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != name {
			continue
		}
		if v := mapping.Content[i+1]; v.Kind == yaml.AliasNode {
			return v.Alias
		}
		return mapping.Content[i+1]
	}
	return nil
}

// names lists the keys of a mapping.
func names(mapping *yaml.Node) []string {
	var out []string
	for i := 0; mapping != nil && i+1 < len(mapping.Content); i += 2 {
		out = append(out, mapping.Content[i].Value)
	}
	return out
}

// withField is mapping with another value for a field that it has.
func withField(mapping *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	out := *mapping
	out.Content = slices.Clone(mapping.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if out.Content[i].Value == name {
			out.Content[i+1] = v
		}
	}
	return &out
}

// without is mapping without the fields that drop names.
func without(mapping *yaml.Node, drop func(string) bool) *yaml.Node {
	out := *mapping
	out.Content = nil
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if !drop(mapping.Content[i].Value) {
			out.Content = append(out.Content, mapping.Content[i], mapping.Content[i+1])
		}
	}
	return &out
}

func stringNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func emptyMap() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// putField sets a field of mapping; one that it lacks comes after its nearest
// preceding sibling in from, and last if from, which may be nil, lacks it too.
func putField(mapping, from *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	if fieldOf(mapping, name) != nil {
		return withField(mapping, name, v)
	}
	for i := 0; from != nil && i+1 < len(from.Content); i += 2 {
		if from.Content[i].Value == name {
			return withField(insertAfterSibling(mapping, from, i), name, v)
		}
	}
	out := *mapping
	out.Content = append(slices.Clone(mapping.Content), stringNode(name), v)
	return &out
}

// insertAfterSibling inserts the i-th entry of from into mapping, after its
// nearest preceding sibling in from that mapping has, else first; an entry of
// that name is replaced.
func insertAfterSibling(mapping, from *yaml.Node, i int) *yaml.Node {
	if fieldOf(mapping, from.Content[i].Value) != nil {
		return withField(mapping, from.Content[i].Value, from.Content[i+1])
	}
	at := 0
	for j := i - 2; j >= 0 && at == 0; j -= 2 {
		for k := 0; k+1 < len(mapping.Content); k += 2 {
			if mapping.Content[k].Value == from.Content[j].Value {
				at = k + 2
			}
		}
	}
	out := *mapping
	out.Content = slices.Insert(slices.Clone(mapping.Content), at, from.Content[i], from.Content[i+1])
	return &out
}

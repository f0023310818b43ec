package update

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// setText is a mapping with a text as a field, itself if it has that text. A field
// that is there keeps its style; "" is no text, and the field stays as it is.
func setText(mapping *yaml.Node, name, text string) *yaml.Node {
	old := yamlnode.Resolve(yamlnode.Field(mapping, name))
	if text == "" || old != nil && old.Kind == yaml.ScalarNode && old.Value == text && old.ShortTag() == "!!str" {
		return mapping
	}
	value := yamlnode.String(text)
	if old != nil && old.Kind == yaml.ScalarNode {
		value.Style = old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
		value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	}
	return set(mapping, name, value, "")
}

// set is a mapping with a field, itself if it has that very value. A new field
// comes after the one that is named, if that is there, else last.
func set(mapping *yaml.Node, name string, value *yaml.Node, after string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		mapping = yamlnode.EmptyMap()
	}
	end := len(mapping.Content)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		switch mapping.Content[i].Value {
		case name:
			if mapping.Content[i+1] == value {
				return mapping
			}
			changed := *mapping
			changed.Content = slices.Clone(mapping.Content)
			changed.Content[i+1] = value
			return &changed
		case after:
			end = i + 2
		}
	}
	changed := *mapping
	changed.Content = slices.Insert(slices.Clone(mapping.Content), end, yamlnode.String(name), value)
	return &changed
}

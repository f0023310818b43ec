package resourcelist

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// WithoutAnnotation returns i without an annotation, and without the map of
// annotations if that held nothing else. If i has text, the lines go out of it
// and every other byte stays.
func (i *Item) WithoutAnnotation(name string) *Item {
	if i.skim != nil {
		if !i.skim.HasAnnotation(name) {
			return i
		}
		if cut := i.edited(i.skim.WithoutAnnotation(name)); cut != nil {
			return cut
		}
		return i.afterParsing(func(i *Item) *Item { return i.WithoutAnnotation(name) })
	}
	if i.json != nil {
		if _, has := i.json.annotation(name); !has {
			return i
		}
		return i.afterParsing(func(i *Item) *Item { return i.WithoutAnnotation(name) })
	}
	if i.Node == nil {
		return i.afterParsing(func(i *Item) *Item { return i.WithoutAnnotation(name) })
	}
	meant := dropAnnotation(i.Node, name)
	if meant == i.Node {
		return i
	}
	return i.rewritten(meant)
}

// dropAnnotation returns item without an annotation.
func dropAnnotation(item *yaml.Node, name string) *yaml.Node {
	metadata := field(item, "metadata")
	if metadata == nil || position(metadata, "annotations") < 0 {
		return item
	}
	annotations := field(metadata, "annotations")
	at := position(annotations, name)
	if at < 0 {
		return item
	}
	if len(annotations.Content) == 2 {
		return replace(item, "metadata", remove(metadata, position(metadata, "annotations")))
	}
	return replace(item, "metadata", replace(metadata, "annotations", remove(annotations, at)))
}

// remove returns mapping without the field whose key is at a position.
func remove(mapping *yaml.Node, at int) *yaml.Node {
	m := *mapping
	m.Content = slices.Concat(mapping.Content[:at], mapping.Content[at+2:])
	return &m
}

// replace returns mapping with another value of a field that it has.
func replace(mapping *yaml.Node, name string, value *yaml.Node) *yaml.Node {
	m := *mapping
	m.Content = slices.Clone(mapping.Content)
	m.Content[position(mapping, name)+1] = value
	return &m
}

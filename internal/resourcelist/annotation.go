package resourcelist

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// WithoutAnnotation returns i without an annotation, and without the map of
// annotations if that held nothing else. If i has text, the lines go out of it
// and every other byte stays, unless that would give another node; then the
// item will be encoded.
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
	meant, line, lines := dropAnnotation(i.Node, name)
	if meant == i.Node {
		return i
	}
	start, _ := nthLine(i.text, line-i.base)
	if i.text == nil || start < 0 {
		return i.WithNode(meant)
	}
	end := start
	for range lines {
		end = nextLine(i.text, end)
	}
	cut := slices.Concat(i.text[:start], i.text[end:])
	node, err := parseItem(cut, i.follow)
	if err != nil || !isSame(meant, node) {
		return i.WithNode(meant)
	}
	changed := *i
	changed.Node, changed.text, changed.base, changed.sure = node, cut, 2, true
	return &changed
}

// dropAnnotation returns item without an annotation, and where it stood: the
// first line and the number of lines, if each entry is on a line of its own.
func dropAnnotation(item *yaml.Node, name string) (meant *yaml.Node, line, lines int) {
	metadata := field(item, "metadata")
	if metadata == nil || position(metadata, "annotations") < 0 {
		return item, 0, 0
	}
	annotations := field(metadata, "annotations")
	at := position(annotations, name)
	if at < 0 {
		return item, 0, 0
	}
	if len(annotations.Content) == 2 {
		outer := position(metadata, "annotations")
		line, lines = metadata.Content[outer].Line, 2
		return replace(item, "metadata", remove(metadata, outer)), line, lines
	}
	line = annotations.Content[at].Line
	return replace(item, "metadata", replace(metadata, "annotations", remove(annotations, at))), line, 1
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

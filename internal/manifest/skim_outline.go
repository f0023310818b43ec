package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Outline is the tree of an item without the values of some fields.
type Outline struct {
	// Root is the item's mapping. The fields that are left out have null.
	Root *yaml.Node

	text []byte
	left map[*yaml.Node]span
}

// Outline returns the item's tree without the values of all fields of a name
// that have a block collection, nil if the text is not sure to be one mapping.
// Such a value is not looked into.
func (i *Skim) Outline(name string) *Outline {
	s := scanner{text: i.text, item: &Skim{}, open: make([]openBlock, 1, 16), await: true, leave: []byte(name)}
	s.open[0] = openBlock{indent: -1}
	if !s.scan() {
		return nil
	}
	root := rootOf(without(i.text, s.left))
	if root != nil && root.Kind == yaml.SequenceNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	o := &Outline{Root: root, text: i.text, left: map[*yaml.Node]span{}}
	o.find(root, name, i.lines(s.left), &s.left)
	return o
}

// Value returns the tree of a value of the outline. If that was left out, it is
// read now: nil if it is no collection.
func (o *Outline) Value(n *yaml.Node) *yaml.Node {
	if part, left := o.left[n]; left {
		return rootOf(o.text[part.start:part.end])
	}
	return n
}

// without is a text without parts of it.
func without(text []byte, parts []span) []byte {
	var out []byte
	at := 0
	for _, part := range parts {
		out = append(out, text[at:part.start]...)
		at = int(part.end)
	}
	return append(out, text[at:]...)
}

// lines are the numbers that the lines above parts have without the parts.
func (i *Skim) lines(parts []span) []int {
	var lines []int
	at, number := 0, 0
	for _, part := range parts {
		number += bytes.Count(i.text[at:part.start], []byte("\n"))
		lines, at = append(lines, number), int(part.end)
	}
	return lines
}

// find finds the nulls in lines whose values were left out, in their order.
func (o *Outline) find(n *yaml.Node, name string, lines []int, left *[]span) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && len(*left) > 0 {
			key, at := n.Content[i-1], len(lines)-len(*left)
			if key.Value == name && key.Line == lines[at] {
				o.left[c] = (*left)[0]
				*left = (*left)[1:]
			}
		}
		o.find(c, name, lines, left)
	}
}

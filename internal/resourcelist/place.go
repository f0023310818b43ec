package resourcelist

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// InPlaceOf returns i where another item is in their list in brackets: with what
// stands between that and the item before.
func (i *Item) InPlaceOf(other *Item) *Item {
	if i.place == nil || other.place == nil {
		return i
	}
	moved, place := *i, *i.place
	place.lead = other.place.lead
	moved.place = &place
	return &moved
}

// dashed returns the text of an item in brackets as it stands in a list of lines,
// nil if it cannot stand there.
func (i *Item) dashed(column int) []byte {
	if i.text == nil {
		return nil
	}
	text := []byte(strings.Repeat(" ", column) + "- " + string(i.text) + "\n")
	again, err := parseItem(text)
	if full, fault := i.Parsed(); err != nil || fault != nil || !isSame(again, full.Node) {
		return nil
	}
	return text
}

// alone returns the node of an item in brackets as a file has it.
func (i *Item) alone() (*yaml.Node, error) {
	text, err := i.inBrackets()
	if err != nil {
		text, err = i.bytes(0)
	}
	if err != nil {
		return nil, err
	}
	doc, err := parseRaw(text)
	if err != nil {
		return nil, err
	}
	if root := doc.Content[0]; root.Kind == yaml.SequenceNode {
		return onlyMapping(root, "")
	}
	return doc.Content[0], nil
}

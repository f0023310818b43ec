package resourcelist

import (
	"bytes"
	"errors"

	"go.yaml.in/yaml/v3"
)

// kpt reads each file, sends what it read as a list, and copies comments from
// what it read to what comes back. Both it parses by yaml.v3, which gives
// comments away by what is around them.

// InFile returns the node of i as kpt has it that read it in a file of its own.
func (i *Item) InFile() (*yaml.Node, error) {
	if i.place != nil {
		return i.alone()
	}
	text, err := i.bytes(i.column)
	if err != nil {
		return nil, err
	}
	var file []byte
	below := false
	for line := range bytes.Lines(text) {
		margin := len(line) - len(bytes.TrimLeft(line, " "))
		if !below && margin < len(line) && line[margin] == '-' {
			line, below = bytes.Replace(line, []byte("-"), []byte(" "), 1), true
			margin = len(line) - len(bytes.TrimLeft(line, " "))
		}
		file = append(file, line[min(margin, i.column+2):]...)
	}
	doc, err := parseRaw(file)
	if err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// ByIndentation returns the node of i with each comment where yaml.v3 has it that
// reads what the comment is indented like.
func (i *Item) ByIndentation() (*yaml.Node, error) {
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	node := clone(full.Node)
	placeComments(node)
	return node, nil
}

// InList returns the node of i as kpt has it that read it in a list. It is an
// error if i has no text.
func (i *Item) InList() (*yaml.Node, error) {
	if i.place != nil {
		return i.alone()
	}
	if i.text == nil {
		return nil, errors.New("an item without text")
	}
	doc, err := parseRaw(append(append([]byte("items:\n"), i.text...), nextItem(i.column)...))
	if err != nil {
		return nil, err
	}
	root := doc.Content[0]
	if len(root.Content) != 2 {
		return nil, errors.New("not one list")
	}
	return onlyMapping(root.Content[1], nextItem(i.column))
}

// Apart returns i with an empty line below its text if that ends with a comment:
// without one, yaml.v3 gives the comment to the innermost field, unlike in the
// file, and kpt writes it twice.
func (i *Item) Apart() *Item {
	if i.place != nil || !endsWithComment(i.text) || bytes.HasSuffix(i.text, []byte("\n\n")) {
		return i
	}
	apart := *i
	apart.text = append(i.text[:len(i.text):len(i.text)], '\n')
	return &apart
}

// endsWithComment reports whether the last line of text that is not empty is a
// comment.
func endsWithComment(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(lastLine(text), " "), []byte("#"))
}

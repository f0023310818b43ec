package resourcelist

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/merge"
)

// Edited returns i with the text of what was merged of it and upstream's item,
// which may be nil: its own text with edits (design 3.6). It is nil where only the
// encoder can write the result.
func (i *Item) Edited(upstream *Item, result merge.Part) *Item {
	if i.parsed == nil || i.parsed.Root() != i.Node {
		return nil
	}
	var other *manifest.Text
	if upstream != nil && upstream.parsed != nil && upstream.parsed.Root() == upstream.Node {
		other = upstream.parsed
	}
	text, told, err := manifest.EditTold(i.parsed, other, result)
	if err == nil && i.place == nil && !i.document {
		text, err = ended(text)
	}
	if err != nil {
		return nil
	}
	edited := i.withText(text)
	edited.encodings = slices.Concat(i.encodings, told)
	return edited
}

// isWhole reports whether the encoder wrote the whole resource.
func isWhole(told []manifest.Encoding) bool {
	return slices.ContainsFunc(told, func(t manifest.Encoding) bool { return t.What == "resource" })
}

// Encodings tells what of i's text came out of the encoder.
func (i *Item) Encodings() []manifest.Encoding { return i.encodings }

// ended returns the text of an item with a line break at its end, as other lines
// stand below it in a list. It is an error if the item is another one then: the
// line break is part of a block scalar.
func ended(text []byte) ([]byte, error) {
	if bytes.HasSuffix(text, []byte("\n")) {
		return text, nil
	}
	was, err := parseItem(text)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text):len(text)], '\n')
	is, err := parseItem(text)
	if err == nil && !isSame(was, is) {
		err = errors.New("a line break is part of the item")
	}
	return text, err
}

// Rewritten returns i with another node: the text of i with edits, and what has no
// text encoded (design 3.6).
func (i *Item) Rewritten(node *yaml.Node) (*Item, error) {
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	part := merge.Part{Value: node, Local: merge.Entry{Value: full.Node}, From: identity.Local}
	if edited := full.Edited(nil, part); edited != nil {
		if !isWhole(edited.encodings) { // no side has our bookkeeping
			edited.encodings = i.encodings
		}
		return edited, nil
	}
	changed := full.WithNode(node)
	encoded, err := changed.Encoded()
	if err != nil && changed.place != nil {
		return changed, nil // no brackets hold it: that is for the list to see
	}
	return encoded, err
}

// rewritten is Rewritten with the node kept, and left to be encoded where there is
// no text.
func (i *Item) rewritten(node *yaml.Node) *Item {
	part := merge.Part{Value: node, Local: merge.Entry{Value: i.Node}, From: identity.Local}
	if edited := i.Edited(nil, part); edited != nil {
		if again, err := edited.Parsed(); err == nil {
			return again
		}
	}
	return i.WithNode(node)
}

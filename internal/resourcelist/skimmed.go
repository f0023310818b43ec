package resourcelist

import (
	"bytes"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Head returns the identifying fields of the item's mapping: apiVersion and kind, and of metadata the names, the
// annotations and the comment.
func (i *Item) Head() *yaml.Node {
	switch {
	case i.skim != nil:
		return i.skim.Head()
	case i.head != nil:
		return i.head
	}
	return i.mapping()
}

// mapping returns the item's mapping, which may be parsed for it; an empty one if that is not possible.
func (i *Item) mapping() *yaml.Node {
	full, err := i.Parsed()
	if err != nil {
		return yamlnode.EmptyMap()
	}
	return full.Node
}

// HeadValues returns the fields of Head without the annotations, if they are known without the parser.
func (i *Item) HeadValues() (values manifest.HeadValues, ok bool) {
	if i.skim == nil {
		return values, false
	}
	return i.skim.HeadValues(), true
}

// Annotation returns the value of an annotation, aliases resolved; "" if the item does not have it.
func (i *Item) Annotation(name string) string {
	if i.skim != nil {
		return i.skim.Annotation(name)
	}
	return yamlnode.Annotation(i.Head(), name)
}

// Annotated reports whether the item has an annotation, with any value.
func (i *Item) Annotated(name string) bool {
	if i.skim != nil {
		return i.skim.HasAnnotation(name)
	}
	return yamlnode.Field(yamlnode.Annotations(i.Head()), name) != nil
}

// MayHaveNull reports whether there may be a null in the item.
func (i *Item) MayHaveNull() bool { return i.skim == nil || i.skim.Null }

// WithoutAnnotation returns i without an annotation, and without the map of annotations if it had no other. If i has
// text, only these lines are removed from it.
func (i *Item) WithoutAnnotation(name string) *Item {
	if i.skim != nil {
		if !i.skim.HasAnnotation(name) {
			return i
		}
		if cut := i.edited(i.skim.WithoutAnnotation(name)); cut != nil {
			return cut
		}
	}
	return i.reworked(func(n *yaml.Node) *yaml.Node {
		return yamlnode.WithoutAnnotations(n, func(has string) bool { return has == name })
	})
}

// WithMergeComment returns i with the node of SetMergeComment. If i has text, every other byte stays.
func (i *Item) WithMergeComment(text string) *Item {
	switch {
	case i.head != nil:
		return i
	case i.skim != nil:
		if !i.skim.HasRoom() || i.skim.HeadValues().Comment == "# "+text || !fitsComment(text) {
			return i
		}
		if commented := i.edited(i.skim.WithComment("# " + text)); commented != nil {
			return commented
		}
	}
	return i.reworked(func(n *yaml.Node) *yaml.Node { return SetMergeComment(n, text) })
}

// SameText reports whether the texts of two items certainly have equal nodes, with comments and style, apart from the
// ignored parts. It is false for parsed items, unless they are documents.
func SameText(a, b *Item, ignored manifest.Ignored) bool {
	return a.IsDocument() && b.IsDocument() && bytes.Equal(a.text, b.text) ||
		a.skim != nil && b.skim != nil && manifest.Same(a.skim, b.skim, ignored)
}

// Parse parses the items that are not parsed yet, on all cores.
func Parse(items []*Item) error {
	return parallel.Each(len(items), func(n int) error { return items[n].parse() })
}

// parse parses an item that is only skimmed.
func (i *Item) parse() error {
	full, err := i.Parsed()
	if err == nil {
		*i = *full
	}
	return err
}

// Parsed returns i with its node: i itself if it has one already.
func (i *Item) Parsed() (*Item, error) {
	if i.Node != nil {
		return i, nil
	}
	text, err := i.at.parse(i.Text())
	if err != nil && i.IsDocument() {
		return nil, &DocumentError{Line: i.Line, Reason: err, text: i.text}
	}
	if err != nil {
		return nil, fmt.Errorf("the item in line %d: %w", i.Line, err)
	}
	full := *i
	full.skim, full.head, full.Node, full.wide = nil, nil, text.Root(), manifest.IsWide(text.Root())
	full.parsed = text
	return &full, nil
}

// ParsedText returns the text of i with the places of its node's parts, nil if they are not known.
func (i *Item) ParsedText() *manifest.Text {
	if i.parsed == nil || i.parsed.Root() != i.Node {
		return nil
	}
	return i.parsed
}

// edited returns i with an edited text. It is nil unless the edit is certain and its text can be skimmed.
func (i *Item) edited(text []byte, sure bool) *Item {
	if !sure {
		return nil
	}
	again := i.at.skim(text)
	if again == nil {
		return nil
	}
	changed := *i
	changed.text, changed.pieces, changed.skim = text, nil, again
	return &changed
}

// skimmedItem returns the item of a skimmed text whose first line has a number in the input.
func skimmedItem(s *manifest.Skim, text []byte, line, column int) *Item {
	return &Item{Line: line + s.Above(), skim: s, text: text, at: place{column: column}}
}

// Outlines returns a function that reads the outlines of items, on all cores, on its first call. In plain text, the
// values of the fields with the given name are not read. Other items are parsed at once, and Outlines returns their
// errors.
func Outlines(items []*Item, name string) (read func() []*manifest.Outline, err error) {
	err = parallel.Each(len(items), func(n int) error {
		if items[n].skim != nil {
			return nil
		}
		return items[n].parse()
	})
	texts := make([]Item, len(items))
	for n, i := range items {
		texts[n] = *i
	}
	return sync.OnceValue(func() []*manifest.Outline {
		out := make([]*manifest.Outline, len(texts))
		_ = parallel.Each(len(texts), func(n int) error { // never fails
			out[n] = texts[n].outline(name)
			return nil
		})
		return out
	}), err
}

// outline returns the outline of an item: of its text, or with its mapping as the root.
func (i *Item) outline(name string) *manifest.Outline {
	if i.skim != nil {
		if o := i.skim.Outline(name); o != nil {
			return o
		}
	}
	return &manifest.Outline{Root: i.mapping()}
}

package resourcelist

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
)

// An item whose text is plain is only skimmed at first (rules/reading: skimming):
// enough to tell who it is and whether it is the same as another. Most items of a list
// need no more.

// Head returns the item's mapping as far as it says who the item is: apiVersion
// and kind, and of metadata the names, the annotations and the comment.
func (i *Item) Head() *yaml.Node {
	switch {
	case i.skim != nil:
		return i.skim.Head()
	case i.json != nil:
		return i.json.node()
	}
	if i.Node != nil || i.head != nil {
		return cmp.Or(i.Node, i.head)
	}
	full, err := i.Parsed() // an item that a merge has written
	if err != nil {
		return emptyMap()
	}
	return full.Node
}

// Said is what Head says, but for the annotations, if that is known without the
// parser.
func (i *Item) Said() (said manifest.Said, ok bool) {
	if i.skim == nil {
		return said, false
	}
	return i.skim.Said(), true
}

// Annotation returns the value of an annotation, an alias followed; "" if the
// item has none of that name.
func (i *Item) Annotation(name string) string {
	if i.skim != nil {
		return i.skim.Annotation(name)
	}
	if i.json != nil {
		value, _ := i.json.annotation(name)
		return value
	}
	if annotations := annotationsOf(i.Head()); annotations != nil {
		if value := field(annotations, name); value != nil {
			return value.Value
		}
	}
	return ""
}

// Annotated reports whether the item has an annotation, whatever its value is.
func (i *Item) Annotated(name string) bool {
	if i.skim != nil {
		return i.skim.HasAnnotation(name)
	}
	if i.json != nil {
		_, has := i.json.annotation(name)
		return has
	}
	annotations := annotationsOf(i.Head())
	return annotations != nil && position(annotations, name) >= 0
}

// annotationsOf returns the map of annotations of an item, nil if it has none.
func annotationsOf(item *yaml.Node) *yaml.Node {
	if item == nil {
		return nil
	}
	metadata := field(item, "metadata")
	if metadata == nil {
		return nil
	}
	return field(metadata, "annotations")
}

// MayHaveNull tells whether there may be a null in the item.
func (i *Item) MayHaveNull() bool {
	if i.json != nil {
		return bytes.Contains(i.text, []byte("null"))
	}
	return i.skim == nil || i.skim.Null
}

// SameText tells whether the texts of two items are certain to be equal nodes,
// comments and style and all, apart from what is ignored. It tells nothing of
// items that are parsed, unless they are documents.
func SameText(a, b *Item, ignored manifest.Ignored) bool {
	if a.json != nil && b.json != nil {
		return sameJSON(a.json, b.json, ignored)
	}
	if a.document && b.document && bytes.Equal(a.text, b.text) {
		return true
	}
	return manifest.Same(a.skim, b.skim, ignored)
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

// Parsed returns i with its node: i itself if it has that already.
func (i *Item) Parsed() (*Item, error) {
	if i.Node != nil {
		return i, nil
	}
	text, err := i.read()
	if err != nil && i.document {
		return nil, &DocumentError{Line: i.Line, Reason: err}
	}
	if err != nil {
		return nil, fmt.Errorf("the item in line %d: %w", i.Line, err)
	}
	full := *i
	full.head, full.Node, full.skim, full.json, full.wide = nil, text.Root(), nil, nil, isWide(text.Root())
	full.parsed = text
	return &full, nil
}

// afterParsing returns what change makes of i, parsed. What was skimmed is
// certain to parse; if it were not, i would stay as it is.
func (i *Item) afterParsing(change func(*Item) *Item) *Item {
	full, err := i.Parsed()
	if err != nil {
		return i
	}
	return change(full)
}

// edited returns i with its text edited, or nil if the edit is not sure to be
// the one that was meant.
func (i *Item) edited(text []byte, sure bool) *Item {
	if !sure {
		return nil
	}
	again := i.skimmed(text)
	if again == nil {
		return nil
	}
	changed := *i
	changed.text, changed.skim = text, again
	return &changed
}

// skimmedItem returns the item of a chunk of data that was skimmed.
func skimmedItem(s *manifest.Skim, data []byte, c chunk, column int) *Item {
	return &Item{
		Line: c.line + s.Above(), skim: s, text: data[c.start:c.end:c.end], sure: true,
		base: 1, column: column,
	}
}

// Outline is the tree of an item, perhaps without the values of some fields: then
// it has null there, and value reads them.
type Outline struct {
	Root  *yaml.Node
	value func(*yaml.Node) *yaml.Node
}

// Value returns the tree of a value of Root.
func (o *Outline) Value(n *yaml.Node) *yaml.Node {
	if o.value == nil {
		return n
	}
	return o.value(n)
}

// Outlines returns what reads the outlines of items, on all cores, when it is called
// first. What the fields of a name hold is not looked into where the text is plain;
// other items are parsed at once, and what is wrong with them is the error.
func Outlines(items []*Item, name string) (read func() []*Outline, err error) {
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
	return sync.OnceValue(func() []*Outline {
		out := make([]*Outline, len(texts))
		_ = parallel.Each(len(texts), func(n int) error { // which cannot fail
			out[n] = texts[n].outline(name)
			return nil
		})
		return out
	}), err
}

func (i *Item) outline(name string) *Outline {
	if i.skim != nil {
		if o := i.skim.Outline(name); o != nil {
			return &Outline{Root: o.Root, value: o.Value}
		}
	}
	full, err := i.Parsed()
	if err != nil { // what was skimmed is certain to parse
		return &Outline{Root: emptyMap()}
	}
	return &Outline{Root: full.Node}
}

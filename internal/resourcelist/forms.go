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

// textForm is the text of an item that is not parsed, and what is known of it without the parser (rules/reading: skimming). Most
// items of a list need no more.
type textForm interface {
	// head returns the item's mapping as far as it says who the item is.
	head() *yaml.Node
	annotation(name string) string
	annotated(name string) bool
	mayHaveNull() bool
	// isSame reports whether two texts are certain to be equal nodes, comments and style and all, apart from what is
	// ignored.
	isSame(other textForm, ignored manifest.Ignored) bool
	// withoutAnnotation and withMergeComment edit the text of i, which has this form; nil if that takes the parser.
	withoutAnnotation(i *Item, name string) *Item
	withMergeComment(i *Item, text string) *Item
}

// plainForm is a plain text, which is skimmed.
type plainForm struct{ *manifest.Skim }

func (p plainForm) head() *yaml.Node              { return p.Head() }
func (p plainForm) annotation(name string) string { return p.Annotation(name) }
func (p plainForm) annotated(name string) bool    { return p.HasAnnotation(name) }
func (p plainForm) mayHaveNull() bool             { return p.Null }

func (p plainForm) isSame(other textForm, ignored manifest.Ignored) bool {
	o, ok := other.(plainForm)
	return ok && manifest.Same(p.Skim, o.Skim, ignored)
}

func (p plainForm) withoutAnnotation(i *Item, name string) *Item {
	if !p.HasAnnotation(name) {
		return i
	}
	return i.edited(p.WithoutAnnotation(name))
}

func (p plainForm) withMergeComment(i *Item, text string) *Item {
	if !p.HasRoom() || p.Said().Comment == "# "+text || !fitsComment(text) {
		return i
	}
	return i.edited(p.WithComment("# " + text))
}

// headForm is a document of which only the head is known: an object of JSON, or a mapping that is no resource.
type headForm struct{ node *yaml.Node }

func (h headForm) head() *yaml.Node                            { return h.node }
func (h headForm) annotation(name string) string               { return yamlnode.Annotation(h.node, name) }
func (h headForm) annotated(name string) bool                  { return annotated(h.node, name) }
func (h headForm) mayHaveNull() bool                           { return true }
func (h headForm) isSame(textForm, manifest.Ignored) bool      { return false }
func (h headForm) withoutAnnotation(*Item, string) *Item       { return nil }
func (h headForm) withMergeComment(i *Item, text string) *Item { return i }

// Head returns the item's mapping as far as it says who the item is: apiVersion
// and kind, and of metadata the names, the annotations and the comment.
func (i *Item) Head() *yaml.Node {
	if i.form != nil {
		return i.form.head()
	}
	full, err := i.Parsed()
	if err != nil {
		return yamlnode.EmptyMap()
	}
	return full.Node
}

// Said is what Head says, but for the annotations, if that is known without the parser.
func (i *Item) Said() (said manifest.Said, ok bool) {
	if p, ok := i.form.(plainForm); ok {
		return p.Said(), true
	}
	return said, false
}

// Annotation returns the value of an annotation, an alias followed; "" if the item has none of that name.
func (i *Item) Annotation(name string) string {
	if i.form != nil {
		return i.form.annotation(name)
	}
	return yamlnode.Annotation(i.Head(), name)
}

// Annotated reports whether the item has an annotation, whatever its value is.
func (i *Item) Annotated(name string) bool {
	if i.form != nil {
		return i.form.annotated(name)
	}
	return annotated(i.Head(), name)
}

func annotated(item *yaml.Node, name string) bool {
	return yamlnode.Field(yamlnode.Annotations(item), name) != nil
}

// MayHaveNull tells whether there may be a null in the item.
func (i *Item) MayHaveNull() bool { return i.form == nil || i.form.mayHaveNull() }

// SameText tells whether the texts of two items are certain to be equal nodes, comments and style and all, apart
// from what is ignored. It tells nothing of items that are parsed, unless they are documents.
func SameText(a, b *Item, ignored manifest.Ignored) bool {
	return a.IsDocument() && b.IsDocument() && bytes.Equal(a.text, b.text) ||
		a.form != nil && b.form != nil && a.form.isSame(b.form, ignored)
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
	text, err := i.at.parse(i)
	if err != nil && i.IsDocument() {
		return nil, &DocumentError{Line: i.Line, Reason: err}
	}
	if err != nil {
		return nil, fmt.Errorf("the item in line %d: %w", i.Line, err)
	}
	full := *i
	full.form, full.Node, full.wide = nil, text.Root(), isWide(text.Root())
	full.parsed = text
	return &full, nil
}

// edited returns i with its text edited, or nil if the edit is not sure to be the one that was meant.
func (i *Item) edited(text []byte, sure bool) *Item {
	if !sure {
		return nil
	}
	again := i.at.skim(text)
	if again == nil {
		return nil
	}
	changed := *i
	changed.text, changed.form = text, plainForm{again}
	return &changed
}

// skimmedItem returns the item of a chunk of data that was skimmed.
func skimmedItem(s *manifest.Skim, data []byte, c chunk, column int) *Item {
	return &Item{
		Line: c.line + s.Above(), form: plainForm{s}, text: data[c.start:c.end:c.end], sure: true,
		base: 1, at: lines{column},
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
		if _, plain := items[n].form.(plainForm); plain {
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
	if p, ok := i.form.(plainForm); ok {
		if o := p.Outline(name); o != nil {
			return &Outline{Root: o.Root, value: o.Value}
		}
	}
	full, err := i.Parsed()
	if err != nil { // what was skimmed is certain to parse
		return &Outline{Root: yamlnode.EmptyMap()}
	}
	return &Outline{Root: full.Node}
}

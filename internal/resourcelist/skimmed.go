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

// textForm is the form of an item's text, with the facts known without the parser (rules/reading: skimming).
type textForm interface {
	// head returns the identifying fields of the item's mapping. headValues returns them without annotations, if they are
	// known without the parser.
	head(i *Item) *yaml.Node
	headValues() (values manifest.HeadValues, ok bool)
	annotation(i *Item, name string) (value string, has bool)
	mayHaveNull() bool
	// isSame reports whether two texts certainly have equal nodes, with comments and style, apart from the ignored
	// parts.
	isSame(other textForm, ignored manifest.Ignored) bool
	outline(i *Item, name string) *manifest.Outline
	withoutAnnotation(i *Item, name string) *Item
	withMergeComment(i *Item, text string) *Item
}

// parsedForm is the form of an item that is parsed, or that is parsed for each call.
type parsedForm struct{}

func (parsedForm) head(i *Item) *yaml.Node {
	full, err := i.Parsed()
	if err != nil {
		return yamlnode.EmptyMap()
	}
	return full.Node
}

func (parsedForm) annotation(i *Item, name string) (value string, has bool) {
	found := yamlnode.Field(yamlnode.Annotations(i.Head()), name)
	return yamlnode.Text(found), found != nil
}

func (parsedForm) withoutAnnotation(i *Item, name string) *Item {
	return i.reworked(func(n *yaml.Node) *yaml.Node {
		return yamlnode.WithoutAnnotations(n, func(has string) bool { return has == name })
	})
}

func (parsedForm) withMergeComment(i *Item, text string) *Item {
	return i.reworked(func(n *yaml.Node) *yaml.Node { return SetMergeComment(n, text) })
}

func (p parsedForm) outline(i *Item, _ string) *manifest.Outline {
	return &manifest.Outline{Root: p.head(i)}
}

func (parsedForm) headValues() (values manifest.HeadValues, ok bool) { return values, false }
func (parsedForm) mayHaveNull() bool                                 { return true }
func (parsedForm) isSame(textForm, manifest.Ignored) bool            { return false }

// headForm is the form of a document with a known head only: an object of JSON, or a mapping that is no resource.
type headForm struct {
	parsedForm
	node *yaml.Node
}

func (h headForm) head(*Item) *yaml.Node                       { return h.node }
func (h headForm) withMergeComment(i *Item, text string) *Item { return i }

// skimmedForm is the form of a plain text, in lines or in brackets.
type skimmedForm struct {
	parsedForm
	*manifest.Skim
}

func (f skimmedForm) head(*Item) *yaml.Node                   { return f.Head() }
func (f skimmedForm) headValues() (manifest.HeadValues, bool) { return f.HeadValues(), true }
func (f skimmedForm) mayHaveNull() bool                       { return f.Null }

func (f skimmedForm) annotation(_ *Item, name string) (value string, has bool) {
	return f.Annotation(name), f.HasAnnotation(name)
}

func (f skimmedForm) isSame(other textForm, ignored manifest.Ignored) bool {
	o, ok := other.(skimmedForm)
	return ok && manifest.Same(f.Skim, o.Skim, ignored)
}

func (f skimmedForm) outline(i *Item, name string) *manifest.Outline {
	if o := f.Outline(name); o != nil {
		return o
	}
	return f.parsedForm.outline(i, name)
}

func (f skimmedForm) withoutAnnotation(i *Item, name string) *Item {
	if !f.HasAnnotation(name) {
		return i
	}
	if cut := i.edited(f.WithoutAnnotation(name)); cut != nil {
		return cut
	}
	return f.parsedForm.withoutAnnotation(i, name)
}

func (f skimmedForm) withMergeComment(i *Item, text string) *Item {
	if !f.HasRoom() || f.HeadValues().Comment == "# "+text || !fitsComment(text) {
		return i
	}
	if commented := i.edited(f.WithComment("# " + text)); commented != nil {
		return commented
	}
	return f.parsedForm.withMergeComment(i, text)
}

// textForm returns the form of the item's text.
func (i *Item) textForm() textForm {
	if i.form == nil {
		return parsedForm{}
	}
	return i.form
}

// Head returns the identifying fields of the item's mapping: apiVersion and kind, and of metadata the names, the
// annotations and the comment.
func (i *Item) Head() *yaml.Node { return i.textForm().head(i) }

// HeadValues returns the fields of Head without the annotations, if they are known without the parser.
func (i *Item) HeadValues() (values manifest.HeadValues, ok bool) { return i.textForm().headValues() }

// Annotation returns the value of an annotation, aliases resolved; "" if the item does not have it.
func (i *Item) Annotation(name string) string {
	value, _ := i.textForm().annotation(i, name)
	return value
}

// Annotated reports whether the item has an annotation, with any value.
func (i *Item) Annotated(name string) bool {
	_, has := i.textForm().annotation(i, name)
	return has
}

// MayHaveNull reports whether there may be a null in the item.
func (i *Item) MayHaveNull() bool { return i.textForm().mayHaveNull() }

// WithoutAnnotation returns i without an annotation, and without the map of annotations if it had no other. If i has
// text, only these lines are removed from it.
func (i *Item) WithoutAnnotation(name string) *Item { return i.textForm().withoutAnnotation(i, name) }

// WithMergeComment returns i with the node of SetMergeComment. If i has text, every other byte stays.
func (i *Item) WithMergeComment(text string) *Item { return i.textForm().withMergeComment(i, text) }

// SameText reports whether the texts of two items certainly have equal nodes, with comments and style, apart from the
// ignored parts. It is false for parsed items, unless they are documents.
func SameText(a, b *Item, ignored manifest.Ignored) bool {
	return a.IsDocument() && b.IsDocument() && bytes.Equal(a.text, b.text) || a.textForm().isSame(b.textForm(), ignored)
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
	text, err := i.at.parse(i)
	if err != nil && i.IsDocument() {
		return nil, &DocumentError{Line: i.Line, Reason: err, text: i.text}
	}
	if err != nil {
		return nil, fmt.Errorf("the item in line %d: %w", i.Line, err)
	}
	full := *i
	full.form, full.Node, full.wide = nil, text.Root(), isWide(text.Root())
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
	changed.text, changed.pieces, changed.form = text, nil, skimmedForm{Skim: again}
	return &changed
}

// skimmedItem returns the item of a skimmed text whose first line has a number in the input.
func skimmedItem(s *manifest.Skim, text []byte, line, column int) *Item {
	return &Item{Line: line + s.Above(), form: skimmedForm{Skim: s}, text: text, base: 1, at: lines{column}}
}

// Outlines returns a function that reads the outlines of items, on all cores, on its first call. In plain text, the
// values of the fields with the given name are not read. Other items are parsed at once, and Outlines returns their
// errors.
func Outlines(items []*Item, name string) (read func() []*manifest.Outline, err error) {
	err = parallel.Each(len(items), func(n int) error {
		if _, skimmed := items[n].form.(skimmedForm); skimmed {
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
			out[n] = texts[n].textForm().outline(&texts[n], name)
			return nil
		})
		return out
	}), err
}

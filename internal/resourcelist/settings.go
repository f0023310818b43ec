package resourcelist

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// setting is the place of an item's text: in the lines of a list, in its brackets, or in a file, as a document.
type setting interface {
	// parse parses the text of an item, and skim reads another text without the parser, as far as possible.
	parse(i *Item) (*manifest.Text, error)
	skim(text []byte) *manifest.Skim
	// encode writes the node of an item without a text, and dashed returns the text of an item for a list with dashes
	// in a column, nil if it does not fit there.
	encode(i *Item) ([]byte, error)
	dashed(i *Item, column int) []byte
	// inFile and inList return the node of an item as kpt reads it from there.
	inFile(i *Item) (*yaml.Node, error)
	inList(i *Item) (*yaml.Node, error)
}

// lines is the setting of an item with its dash in a column.
type lines struct{ column int }

func (l lines) parse(i *Item) (*manifest.Text, error) { return manifest.Item(i.Text()) }
func (l lines) skim(text []byte) *manifest.Skim       { return manifest.SkimItem(text, l.column) }
func (l lines) encode(i *Item) ([]byte, error)        { return i.bytes(l.column) }

func (l lines) dashed(i *Item, column int) []byte {
	if l.column != column {
		return nil
	}
	return i.Text()
}

func (l lines) inFile(i *Item) (*yaml.Node, error) {
	text, err := i.bytes(l.column)
	if err != nil {
		return nil, err
	}
	return parseRaw(WithoutDash(text, l.column))
}

func (l lines) inList(i *Item) (*yaml.Node, error) {
	text := i.Text()
	if text == nil {
		return nil, errors.New("an item without text")
	}
	root, err := parseRaw(slices.Concat([]byte("items:\n"), text, bytes.Repeat([]byte(" "), l.column), []byte("- {}\n")))
	if err != nil {
		return nil, err
	}
	if len(root.Content) != 2 {
		return nil, errors.New("not one list")
	}
	return firstMapping(root.Content[1], 2)
}

// document is the setting of an item that is a document of a file (rules/files: added and removed documents): its
// text has no dash.
type document struct{ lines }

func (document) parse(i *Item) (*manifest.Text, error) {
	text, err := manifest.Document(i.text)
	if err != nil {
		return nil, err
	}
	return text, checkNames(text.Root(), map[*yaml.Node]bool{})
}

func (document) skim(text []byte) *manifest.Skim { return manifest.SkimDocument(text) }

func (document) encode(i *Item) ([]byte, error) { return i.AsDocument() }

// place is the setting of an item in a list in brackets.
type place struct {
	list *brackets
	// lead is the text between the item and its predecessor, with the comma; nil if it had none.
	lead []byte
	// line is the number of the line in which the item begins, and margin the white space at the beginning of that
	// line.
	line   int
	margin string
}

func (p *place) parse(i *Item) (*manifest.Text, error) { return manifest.Flow(i.text, p.margin) }
func (p *place) skim([]byte) *manifest.Skim            { return nil }

func (p *place) encode(i *Item) ([]byte, error) {
	if i.text != nil {
		return i.text, nil
	}
	return p.list.like.InBrackets(i.Node, p.margin)
}

func (p *place) dashed(i *Item, column int) []byte {
	if i.text == nil {
		return nil
	}
	text := []byte(strings.Repeat(" ", column) + "- " + string(i.text) + "\n")
	again, err := parseItem(text)
	if full, fault := i.Parsed(); err != nil || fault != nil || !manifest.IsSame(again, full.Node) {
		return nil
	}
	return text
}

func (p *place) inFile(i *Item) (*yaml.Node, error) {
	text, err := p.encode(i)
	if err != nil {
		text, err = i.bytes(0)
	}
	if err != nil {
		return nil, err
	}
	root, err := parseRaw(text)
	if err == nil && root.Kind == yaml.SequenceNode {
		return firstMapping(root, 1)
	}
	return root, err
}

func (p *place) inList(i *Item) (*yaml.Node, error) { return p.inFile(i) }

// kpt reads each file, sends the items as a list, and copies comments from the items it read to the items it gets
// back. It parses both by yaml.v3, which assigns comments by the lines around them.

// InFile returns the node of i as kpt reads it from a file of its own.
func (i *Item) InFile() (*yaml.Node, error) { return i.at.inFile(i) }

// ByIndentation returns the node of i with each comment on the node that has its indentation, where yaml.v3 would
// write it.
func (i *Item) ByIndentation() (*yaml.Node, error) {
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	node := yamlnode.Clone(full.Node)
	manifest.PlaceComments(node)
	return node, nil
}

// InList returns the node of i as kpt reads it from a list. It is an error if i has no text.
func (i *Item) InList() (*yaml.Node, error) { return i.at.inList(i) }

// Apart returns i with an empty line below its text, if the text ends with a comment: without that line, yaml.v3
// gives the comment to the innermost field, unlike in the file, and kpt writes it twice. A block that keeps its line
// breaks gets none: the line would be one of the value.
func (i *Item) Apart() *Item {
	text := i.Text()
	if _, inLines := i.at.(lines); !inLines || !endsWithComment(text) || bytes.HasSuffix(text, []byte("\n\n")) {
		return i
	}
	apart := *i
	apart.text, apart.pieces = append(text[:len(text):len(text)], '\n'), nil
	if bytes.IndexByte(text, '+') >= 0 && !i.sameValues(&apart) {
		return i
	}
	return &apart
}

// sameValues reports whether the texts of two items are read with the same values.
func (i *Item) sameValues(other *Item) bool {
	a, err := i.at.parse(i)
	if err != nil {
		return false
	}
	b, err := other.at.parse(other)
	return err == nil && manifest.Compare(a.Root(), b.Root()).SameValues()
}

// endsWithComment reports whether the last line of text that is not empty is a comment.
func endsWithComment(text []byte) bool {
	text = bytes.TrimRight(text, " \t\n")
	return bytes.HasPrefix(bytes.TrimLeft(text[bytes.LastIndexByte(text, '\n')+1:], " "), []byte("#"))
}

// NewDocument is NewItem for a document of a file that has a text there. The item gets the text as an element of the
// list, so that the parts kept have the file's text (rules/comments-and-text: merged comments). The node has the
// item's values, and may have more annotations than the text. The item gets no text if the text has other values or
// other comments.
func (l *List) NewDocument(node *yaml.Node, text []byte) *Item {
	i := l.NewItem(node)
	if l.brackets != nil || text == nil {
		return i
	}
	written := &Item{Line: i.Line, text: WithDash(bytes.TrimLeft(text, "\n"), l.column), at: i.at}
	full, err := written.Parsed()
	if err != nil || full.parsed == nil {
		return i
	}
	meant := withAnnotations(full.Node, i.Node)
	if !saysSame(i.Node, meant) {
		return i
	}
	edited, err := full.Rewritten(meant)
	if err != nil || isWhole(edited.encodings) {
		return i
	}
	again, err := edited.Parsed()
	if err != nil || !saysSame(i.Node, again.Node) {
		return i
	}
	if skimmed := edited.edited(edited.Text(), true); skimmed != nil {
		return skimmed
	}
	again.wide = i.wide
	return again
}

// saysSame reports whether two nodes have the same values and the same comment lines. A line may be at another node: the
// YAML parser attaches some comments elsewhere.
func saysSame(a, b *yaml.Node) bool {
	return manifest.Compare(a, b).SameValues() && maps.Equal(manifest.CommentLines(a), manifest.CommentLines(b))
}

// withAnnotations returns item with the additional annotations of another version of it, in their order there.
func withAnnotations(item, more *yaml.Node) *yaml.Node {
	from := yamlnode.Annotations(more)
	metadata := yamlnode.Field(item, "metadata")
	if from == nil || metadata != nil && metadata.Kind != yaml.MappingNode {
		return item
	}
	own := yamlnode.Annotations(item)
	if own == nil || len(own.Content) == 0 {
		own = yamlnode.EmptyMap()
	}
	has := yamlnode.Indices(own)
	more = yamlnode.Without(from, func(name string) bool { return has(name) >= 0 })
	return yamlnode.Set(item, nil, yamlnode.PutAll(own, more.Content), "metadata", "annotations")
}

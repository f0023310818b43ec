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

// place is the place of an item's text: in a file, as a document, or in a list in lines, with its dash in a column, or in
// a list in brackets.
type place struct {
	isDocument bool
	column     int
	inBrackets *inBrackets
}

// inBrackets is the place of an item in a list in brackets.
type inBrackets struct {
	list *brackets
	// lead is the text between the item and its predecessor, with the comma; nil if it had none.
	lead []byte
	// line is the number of the line in which the item begins, and margin the white space at the beginning of that
	// line.
	line   int
	margin string
}

// parse reads the text of an item.
func (p place) parse(text []byte) (*manifest.Text, error) {
	switch {
	case p.inBrackets != nil:
		return manifest.Flow(text, p.inBrackets.margin)
	case !p.isDocument:
		return manifest.Item(text)
	}
	read, err := manifest.Document(text)
	if err != nil {
		return nil, err
	}
	return read, checkNames(read.Root(), map[*yaml.Node]bool{})
}

// skim reads the text of an item without the parser, as far as possible: it may return nil.
func (p place) skim(text []byte) *manifest.Skim {
	switch {
	case p.inBrackets != nil:
		return nil
	case p.isDocument:
		return manifest.SkimDocument(text)
	}
	return manifest.SkimItem(text, p.column)
}

// encode returns the text of i for its place: its own, or its node encoded.
func (i *Item) encode() ([]byte, error) {
	switch p := i.at.inBrackets; {
	case i.at.isDocument:
		return i.AsDocument()
	case p == nil:
		return i.bytes(i.at.column)
	case i.text == nil:
		return p.list.like.InBrackets(i.Node, p.margin)
	}
	return i.text, nil
}

// bytes returns the text of i for a list with dashes in the given column: its text, or its node encoded.
func (i *Item) bytes(column int) ([]byte, error) {
	if text := i.dashed(column); text != nil {
		return text, nil
	}
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	return manifest.EncodeItem(full.Node, full.wide, column)
}

// dashed returns the text of i for a list with dashes in the given column, nil if it does not fit there.
func (i *Item) dashed(column int) []byte {
	switch {
	case i.at == place{column: column}:
		return i.Text()
	case i.at.inBrackets == nil || i.text == nil:
		return nil
	}
	text := []byte(strings.Repeat(" ", column) + "- " + string(i.text) + "\n")
	again, err := parseItem(text)
	if full, fault := i.Parsed(); err != nil || fault != nil || !manifest.IsSame(again, full.Node) {
		return nil
	}
	return text
}

// kpt reads each file, sends the items as a list, and copies comments from the items it read to the items it gets
// back. It parses both by yaml.v3, which assigns comments by the lines around them.

// InFile returns the node of i as kpt reads it from a file of its own.
func (i *Item) InFile() (*yaml.Node, error) {
	if i.at.inBrackets != nil {
		if text, err := i.encode(); err == nil {
			return parseRaw(text)
		}
	}
	text, err := i.bytes(i.at.column)
	if err != nil {
		return nil, err
	}
	return parseRaw(WithoutDash(text, i.at.column))
}

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
func (i *Item) InList() (*yaml.Node, error) {
	if i.at.inBrackets != nil {
		return i.InFile()
	}
	text := i.Text()
	if text == nil {
		return nil, errors.New("an item without text")
	}
	root, err := parseRaw(slices.Concat([]byte("items:\n"), text, bytes.Repeat([]byte(" "), i.at.column), []byte("- {}\n")))
	if err != nil {
		return nil, err
	}
	if list := yamlnode.Field(root, "items"); len(root.Content) == 2 && list.Kind == yaml.SequenceNode && len(list.Content) == 2 && list.Content[0].Kind == yaml.MappingNode {
		return list.Content[0], nil
	}
	return nil, errors.New("not one mapping in a list")
}

// Apart returns i with an empty line below its text, if the text ends with a comment: without that line, yaml.v3
// gives the comment to the innermost field, unlike in the file, and kpt writes it twice. A block that keeps its line
// breaks gets none: the line would be one of the value.
func (i *Item) Apart() *Item {
	text := i.Text()
	if !i.isInLines() || !endsWithComment(text) || bytes.HasSuffix(text, []byte("\n\n")) {
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
	a, err := i.at.parse(i.Text())
	if err != nil {
		return false
	}
	b, err := other.at.parse(other.Text())
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
	edited, err := full.Rewritten(withAnnotations(full.Node, i.Node))
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

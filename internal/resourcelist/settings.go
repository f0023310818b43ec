package resourcelist

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
)

// setting is the place of an item's text: in the lines of a list, in its brackets, or in a file, as a document.
type setting interface {
	// parse parses the text of an item, and skim reads another text without the parser, as far as possible.
	parse(i *Item) (*manifest.Text, error)
	skim(text []byte) *manifest.Skim
	// accepts reports whether a text of another setting can be used here.
	accepts(other setting) bool
	// end returns an edited text with the end that the setting requires.
	end(text []byte) ([]byte, error)
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

func (l lines) parse(i *Item) (*manifest.Text, error) { return manifest.Item(i.text) }
func (l lines) skim(text []byte) *manifest.Skim       { return manifest.SkimItem(text, l.column) }
func (l lines) accepts(other setting) bool            { return other == l }
func (l lines) end(text []byte) ([]byte, error)       { return ended(text) }
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
	doc, err := parseRaw(withoutDash(text, l.column))
	if err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

func (l lines) inList(i *Item) (*yaml.Node, error) {
	if i.text == nil {
		return nil, errors.New("an item without text")
	}
	doc, err := parseRaw(slices.Concat([]byte("items:\n"), i.text, bytes.Repeat([]byte(" "), l.column), []byte("- {}\n")))
	if err != nil {
		return nil, err
	}
	root := doc.Content[0]
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
func (d document) accepts(other setting) bool    { return other == d }
func (document) end(text []byte) ([]byte, error) { return text, nil }

func (d document) encode(i *Item) ([]byte, error) {
	text, err := d.lines.encode(i)
	return withoutDash(text, 0), err
}

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
func (p *place) end(text []byte) ([]byte, error)       { return text, nil }

func (p *place) accepts(other setting) bool {
	_, same := other.(*place)
	return same
}

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
	doc, err := parseRaw(text)
	if err != nil {
		return nil, err
	}
	if root := doc.Content[0]; root.Kind == yaml.SequenceNode {
		return firstMapping(root, 1)
	}
	return doc.Content[0], nil
}

func (p *place) inList(i *Item) (*yaml.Node, error) { return p.inFile(i) }

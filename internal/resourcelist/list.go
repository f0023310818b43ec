// Package resourcelist reads and writes a ResourceList on YAML nodes and keeps the bytes of untouched parts
// (rules/function: function config; rules/comments-and-text: unchanged text; rules/input: bad input; rules/reading:
// linear time).
//
// Reading splits the list by lines and parses every item alone, on all cores, unless a guard asks for the full
// parser; the result is the same. Writing copies the text of an unchanged item, and encodes a changed one so that
// parsing it again gives the intended node.
package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// List is a ResourceList: the items, and the shell around them.
type List struct {
	Items []*Item

	// shell is the document without the items: a block mapping that always has a field items, with an empty flow
	// sequence.
	shell *yaml.Node
	// column is the number of spaces before the dashes of the items.
	column int
	// brackets is the text around items in brackets, nil in a list of lines.
	brackets *brackets
}

// Read reads a ResourceList. Line ends may be LF or CRLF; they are written as LF.
//
// It is an error, in one sentence and with the line if it is known, if data is empty, is not YAML, holds several
// documents, is something other than a ResourceList, or has an item that is no mapping (rules/input: bad input); the
// list then has the items that could be read. The content of items is not checked.
func Read(data []byte) (*List, error) {
	data = normalize(data)
	if list, ok := readSplit(data); ok {
		return list, nil
	}
	if list, ok := readJSON(data); ok {
		return list, nil
	}
	return readWhole(data)
}

// Empty returns a list without items, for failure when the input could not be read as one (rules/function: failure).
func Empty() *List {
	shell, _ := parse([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")) // never fails
	return &List{shell: shell}
}

// FunctionConfig returns the function config, nil if there is none. It must not be changed in place.
func (l *List) FunctionConfig() *yaml.Node {
	value := yamlnode.Field(l.shell.Content[0], "functionConfig")
	if value == nil || value.ShortTag() == "!!null" {
		return nil
	}
	return value
}

// check returns an error if root, the mapping of the whole document or of its shell, is not a ResourceList.
func check(root *yaml.Node) error {
	if err := checkShell(root); err != nil {
		return err
	}
	results := yamlnode.Field(root, "results")
	if results == nil || results.Kind == yaml.SequenceNode || results.ShortTag() == "!!null" {
		return nil
	}
	return fmt.Errorf("line %d: results is %s, not a list", results.Line, kindName(results))
}

// ErrOtherKind is the error for an input of another kind.
var ErrOtherKind = errors.New("not a ResourceList")

// checkShell is check except for the results, which can be written anew.
func checkShell(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: the input is %s, %w", root.Line, kindName(root), ErrOtherKind)
	}
	if kind := yamlnode.Text(yamlnode.Field(root, "kind")); kind != "ResourceList" {
		return fmt.Errorf("the input is %s, %w", resourceName(root), ErrOtherKind)
	}
	switch version := yamlnode.Text(yamlnode.Field(root, "apiVersion")); version {
	case "config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1":
	default:
		return fmt.Errorf("a ResourceList of apiVersion %q is not known: expected config.kubernetes.io/v1", version)
	}
	return checkKeys(root)
}

// checkKeys returns an error if the list's own mapping has a key twice.
func checkKeys(root *yaml.Node) error {
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if seen[key.Value] {
			return fmt.Errorf("line %d: the ResourceList has the key %q twice", key.Line, key.Value)
		}
		seen[key.Value] = key.Kind == yaml.ScalarNode
	}
	return nil
}

// withResults returns shell with results appended to its own: in the same field, or in a new one at the end. Without
// results, it returns shell itself.
func withResults(shell *yaml.Node, results []any) (*yaml.Node, error) {
	if len(results) == 0 {
		return shell, nil
	}
	doc, root, at := withList(shell, "results")
	list, err := appendResults(yamlnode.Resolve(root.Content[at+1]), results)
	if err != nil {
		return nil, err
	}
	root.Content[at+1] = list
	return doc, nil
}

// withList returns a copy of a document and its mapping, and the index of a field with a list there. A mapping without
// the field gets an empty list as the last field.
func withList(doc *yaml.Node, field string) (copied, root *yaml.Node, at int) {
	d, r := *doc, *doc.Content[0]
	d.Content = []*yaml.Node{&r}
	r.Content = slices.Clone(r.Content)
	if at = position(&r, field); at < 0 {
		at = len(r.Content)
		r.Content = append(r.Content, yamlnode.String(field), emptyList())
	}
	return &d, &r, at
}

// appendResults returns a list of results with more of them.
func appendResults(old *yaml.Node, results []any) (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if old.Kind == yaml.SequenceNode && len(old.Content) > 0 {
		*list = *old
	}
	list.Content = slices.Clip(list.Content)
	for _, result := range results {
		n, err := encodeResult(result)
		if err != nil {
			return nil, fmt.Errorf("a result cannot be written: %w", err)
		}
		list.Content = append(list.Content, n)
	}
	return list, nil
}

// encodeResult returns the node of a result.
func encodeResult(result any) (n *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	text, err := yaml.Marshal([]any{result})
	if err != nil {
		return nil, err
	}
	return parseItem(text)
}

// resultsBelow returns the lines of results for the end of the list, one piece per result, so that their nodes need
// not exist all at once; nil if they cannot be written on their own.
func (l *List) resultsBelow(results []any) ([][]byte, error) {
	if len(results) == 0 || position(l.shell.Content[0], "results") >= 0 || !endsOpen(l.shell) {
		return nil, nil
	}
	wide, column := manifest.IsWide(l.shell), 0
	if wide {
		column = 2
	}
	pieces := make([][]byte, 1+len(results))
	pieces[0] = []byte("results:\n")
	err := parallel.Each(len(results), func(i int) error {
		n, err := encodeResult(results[i])
		if err == nil {
			pieces[1+i], err = manifest.EncodeItem(n, wide, column)
		}
		if err != nil {
			return fmt.Errorf("a result cannot be written: %w", err)
		}
		return nil
	})
	return pieces, err
}

// endsOpen reports whether a field can follow below the text of a tree: it has no comment at its end, and no block
// that may keep the line breaks below it.
func endsOpen(n *yaml.Node) bool {
	for ; len(n.Content) > 0; n = n.Content[len(n.Content)-1] {
		if n.FootComment != "" || n.Kind == yaml.MappingNode && n.Content[len(n.Content)-2].FootComment != "" {
			return false
		}
	}
	return n.FootComment == "" && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// Texts returns the list in pieces: its shell with the given items, which need not be its own, and with results
// appended to the list's own. The unchanged lines of an item are slices of the input. It is an error if a part cannot
// be written exactly.
func (l *List) Texts(items []*Item, results []any) ([][]byte, error) {
	texts, err := l.inBrackets(items, results)
	if err != nil {
		texts, err = l.inLines(items, results)
	}
	return texts, err
}

// inLines returns the pieces of the list in lines.
func (l *List) inLines(items []*Item, results []any) ([][]byte, error) {
	above, below, err := l.encodeShell(len(items) == 0, results)
	if err != nil {
		return nil, err
	}
	texts := make([][][]byte, len(items))
	err = parallel.Each(len(items), func(i int) (err error) {
		if texts[i], err = items[i].inPieces(l.column); err != nil {
			return itemError(i+1, items[i], err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat([][]byte{above}, slices.Concat(texts...), below), nil
}

// itemError adds the line, the number and the name of an item to an error.
func itemError(number int, item *Item, err error) error {
	if item.Line > 0 {
		return fmt.Errorf("line %d: item %d, %s: %w", item.Line, number, resourceName(item.Head()), err)
	}
	return fmt.Errorf("item %d, %s: %w", number, resourceName(item.Head()), err)
}

// encodeShell returns the text of the shell down to the items line, and the pieces of the text below the items.
func (l *List) encodeShell(empty bool, results []any) (above []byte, below [][]byte, err error) {
	last, err := l.resultsBelow(results)
	if err != nil {
		return nil, nil, err
	}
	if last != nil {
		results = nil
	}
	shell, err := withResults(l.shell, results)
	if err != nil {
		return nil, nil, err
	}
	text, err := manifest.EncodeDocument(shell, manifest.IsWide(shell))
	if err != nil {
		return nil, nil, fmt.Errorf("the ResourceList around the items: %w", err)
	}
	above, rest, err := splitItemsLine(text, empty)
	return above, append([][]byte{rest}, last...), err
}

// splitItemsLine splits the text of a shell below its items line. Unless the list is empty, it removes the `[]` of
// that line, and the empty lines below it, which would become part of a scalar that keeps its last line breaks.
func splitItemsLine(text []byte, empty bool) (above, below []byte, err error) {
	at := itemsLine(text)
	if at < 0 || !bytes.HasPrefix(text[at:], []byte("items: []")) {
		return nil, nil, errors.New("the ResourceList around the items has no items line")
	}
	end := stream.NextLine(text, at)
	below = text[end:]
	if empty {
		return text[:end], below, nil
	}
	above = slices.Concat(text[:at+len("items:")], text[at+len("items: []"):end])
	return above, bytes.TrimLeft(below, "\n"), nil
}

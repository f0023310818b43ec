package resourcelist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
)

// Write writes the list's shell with the given items, which need not be its
// own, and with results after those that came in. An item that still has its
// text is written byte for byte. Nothing is written if something cannot be
// written exactly; the error says what.
func (l *List) Write(w io.Writer, items []*Item, results framework.Results) error {
	texts, err := l.Texts(items, results)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, text := range texts {
		if _, err = out.Write(text); err != nil {
			return fmt.Errorf("write the ResourceList: %w", err)
		}
	}
	if err = out.Flush(); err != nil {
		return fmt.Errorf("write the ResourceList: %w", err)
	}
	return nil
}

// Texts is what Write writes, in pieces: those of items that are unchanged are
// parts of the input.
func (l *List) Texts(items []*Item, results framework.Results) ([][]byte, error) {
	texts, err := l.inBrackets(items, results)
	if err != nil {
		texts, err = l.inLines(items, results)
	}
	return texts, err
}

// inLines returns the pieces of the list in lines.
func (l *List) inLines(items []*Item, results framework.Results) ([][]byte, error) {
	above, below, err := l.encodeShell(len(items) == 0, results)
	if err != nil {
		return nil, err
	}
	texts, err := l.encodeItems(items)
	if err != nil {
		return nil, err
	}
	return append(append([][]byte{above}, texts...), below), nil
}

// encodeItems returns the texts of items.
func (l *List) encodeItems(items []*Item) ([][]byte, error) {
	texts := make([][]byte, len(items))
	err := parallel.Each(len(items), func(i int) (err error) {
		if texts[i], err = items[i].bytes(l.column); err != nil {
			return itemError(i+1, items[i], err)
		}
		return nil
	})
	return texts, err
}

// encodeShell returns the text up to and with the items line, and that below
// the items.
func (l *List) encodeShell(empty bool, results framework.Results) (above, below []byte, err error) {
	shell, err := withResults(l.shell, results)
	if err != nil {
		return nil, nil, err
	}
	wide := isWide(shell)
	text, err := exact(shell, form{
		write: func(n *yaml.Node) ([]byte, error) { return encode(n, wide) },
		read:  parse,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the ResourceList around the items: %w", err)
	}
	return splitItemsLine(text, empty)
}

// splitItemsLine splits the text of a shell below its items line. Unless there
// are no items, that gets rid of its `[]`, and the rest of empty lines at its
// start, which would else be part of a scalar that keeps its last line breaks.
func splitItemsLine(text []byte, empty bool) (above, below []byte, err error) {
	doc, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	number := doc.Content[0].Content[position(doc.Content[0], "items")].Line
	at := lineStarts(text)[number-1]
	end := nextLine(text, at)
	if !bytes.HasPrefix(text[at:], []byte("items: []")) {
		return nil, nil, errors.New("the ResourceList around the items has no items line")
	}
	below = text[end:]
	if empty {
		return text[:end], below, nil
	}
	above = slices.Concat(text[:at+len("items:")], text[at+len("items: []"):end])
	return above, bytes.TrimLeft(below, "\n"), nil
}

// withResults returns shell with results after those that it has: in their
// place, else at the end, and not at all if there are none.
func withResults(shell *yaml.Node, results framework.Results) (*yaml.Node, error) {
	added, err := encodeResults(results)
	if err != nil {
		return nil, fmt.Errorf("a result cannot be written: %w", err)
	}
	if len(added) == 0 {
		return shell, nil
	}
	doc, root := *shell, *shell.Content[0]
	root.Content = append([]*yaml.Node(nil), root.Content...)
	doc.Content = []*yaml.Node{&root}
	at := position(&root, "results")
	if at < 0 {
		at = len(root.Content)
		root.Content = append(root.Content, plain("results"), emptyList())
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if old := target(root.Content[at+1]); old.Kind == yaml.SequenceNode && len(old.Content) > 0 {
		*list = *old
	}
	list.Content = append(list.Content[:len(list.Content):len(list.Content)], added...)
	root.Content[at+1] = list
	return &doc, nil
}

// encodeResults returns the nodes of results: of a plain text without the parser.
func encodeResults(results framework.Results) (nodes []*yaml.Node, err error) {
	defer recovered(&err)
	for _, result := range results {
		text, err := yaml.Marshal(framework.Results{result})
		if err != nil {
			return nil, err
		}
		list := plainyaml.Tree(text)
		if list == nil {
			list = new(yaml.Node)
			if err = list.Encode(framework.Results{result}); err != nil {
				return nil, err
			}
		}
		nodes = append(nodes, list.Content...)
	}
	return nodes, nil
}

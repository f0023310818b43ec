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
	return slices.Concat([][]byte{above}, texts, below), nil
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

// encodeShell returns the text up to and with the items line, and the pieces of that
// below the items.
func (l *List) encodeShell(empty bool, results framework.Results) (above []byte, below [][]byte, err error) {
	shell, err := withResults(l.shell, results)
	if err != nil {
		return nil, nil, err
	}
	wide := isWide(shell)
	shell, last, err := l.cutResults(shell, wide)
	if err != nil {
		return nil, nil, err
	}
	text, err := exact(shell, form{
		write: func(n *yaml.Node) ([]byte, error) { return encode(n, wide) },
		read:  reread,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the ResourceList around the items: %w", err)
	}
	above, rest, err := splitItemsLine(text, empty)
	return above, append([][]byte{rest}, last...), err
}

// splitItemsLine splits the text of a shell below its items line. Unless there
// are no items, that gets rid of its `[]`, and the rest of empty lines at its
// start, which would else be part of a scalar that keeps its last line breaks.
func splitItemsLine(text []byte, empty bool) (above, below []byte, err error) {
	doc, err := reread(text)
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

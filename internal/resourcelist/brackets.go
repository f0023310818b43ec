package resourcelist

import (
	"bytes"
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/parts"
)

// brackets is the text of a list whose items are in brackets, such as JSON: the text around the items, and between
// them.
type brackets struct {
	// shell is the list without its items.
	shell *manifest.Text
	// like is the item whose layout new items copy; the shell if there is none.
	like *manifest.Text
	// open is the text above the first item, gap between two items, closing below the last.
	open, gap, closing []byte
}

// readJSON reads data if it is plain text in brackets, such as JSON: the scanner finds the items, and plain text
// reads the same in any place. ok is false if that is not possible; then the full parser finds the error.
func readJSON(data []byte) (*List, bool) {
	text := data
	if len(data) > 0 && data[len(data)-1] != '\n' {
		text = append(data[:len(data):len(data)], '\n')
	}
	list, items, ok := manifest.Elements(text, "items")
	if !ok {
		return nil, false
	}
	return readBrackets(data, list, items, func(at manifest.Span) *manifest.Skim { return manifest.SkimFlow(text[at[0]:]) })
}

// readBrackets reads a list in brackets with the known spans of the list of items and of each item. It fails unless
// only white space and commas are between the items, and each item, and the shell, can be read alone. skim reads an
// item without the parser, as far as possible: it may return nil.
func readBrackets(data []byte, list manifest.Span, items []manifest.Span, skim func(manifest.Span) *manifest.Skim) (*List, bool) {
	shell, ok := readShell(data, list)
	if !ok {
		return nil, false
	}
	b := &brackets{shell: shell, like: shell}
	out := &List{Items: make([]*Item, len(items)), shell: shellOf(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{shell.Root()}}), brackets: b}
	places, ok := b.between(data, list, items)
	if !ok {
		return nil, false
	}
	err := parallel.Each(len(items), func(i int) error {
		item := &Item{Line: places[i].line, text: data[items[i][0]:items[i][1]:items[i][1]], at: place{inBrackets: places[i]}}
		out.Items[i] = item
		if item.skim = skim(items[i]); item.skim != nil {
			return nil
		}
		return item.parse()
	})
	if err != nil || len(items) == 0 {
		return out, err == nil
	}
	like, err := out.Items[0].Parsed()
	if err == nil {
		b.like = like.parsed
	}
	return out, err == nil
}

// readShell reads a list in brackets without its items, if it stands for itself.
func readShell(data []byte, list manifest.Span) (*manifest.Text, bool) {
	shell, err := manifest.Document(bytes.Join([][]byte{data[:list[0]+1], data[list[1]-1:]}, nil))
	if err != nil || check(shell.Root()) != nil {
		return nil, false
	}
	at, empty, ok := shell.Elements("items")
	return shell, ok && len(empty) == 0 && at[0] == list[0]
}

// between records the text between the items, and returns their places. ok is false if it is more than white space
// and commas.
func (b *brackets) between(data []byte, list manifest.Span, items []manifest.Span) (places []*inBrackets, ok bool) {
	end, at, line, margin := list[0]+1, 0, 1, ""
	for i, s := range items {
		margin, line = marginAt(data[at:s[0]], margin), line+bytes.Count(data[at:s[0]], []byte("\n"))
		p := &inBrackets{list: b, line: line, margin: margin}
		lead := data[end:s[0]:s[0]]
		if i == 0 {
			b.open, ok = lead, isBetween(lead, "")
		} else {
			p.lead, ok = lead, isBetween(lead, ",")
		}
		if !ok {
			return nil, false
		}
		places, end, at = append(places, p), s[1], s[0]
	}
	b.closing = data[end : list[1]-1]
	if len(items) == 0 {
		b.learnEmpty(data, list)
	} else if b.gap = append([]byte(","), b.open...); len(items) > 1 {
		b.gap = places[1].lead
	}
	return places, isBetween(b.closing, "") || isBetween(b.closing, ",")
}

// learnEmpty chooses the text between items of an empty list: line breaks, if there are line breaks around the list.
func (b *brackets) learnEmpty(data []byte, list manifest.Span) {
	b.open, b.gap, b.closing = nil, []byte(","), nil
	if unit := b.shell.Unit(); unit != "" {
		margin := marginAt(data[:list[0]], "")
		b.open, b.closing = []byte("\n"+margin+unit), []byte("\n"+margin)
		b.gap = append([]byte(","), b.open...)
	}
}

func isBetween(text []byte, comma string) bool { return string(bytes.TrimSpace(text)) == comma }

// marginAt returns the white space at the beginning of the last line of text. above is that of its first line, which
// may begin before text.
func marginAt(text []byte, above string) string {
	at := bytes.LastIndexByte(text, '\n') + 1
	if at == 0 && above != "" {
		return above
	}
	line := text[at:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// inBrackets returns the pieces of a list that was read in brackets: the shell with the results edited into it, and
// the items with the text between them. It is an error if the list was not in brackets, or a part cannot be written
// in them.
func (l *List) inBrackets(items []*Item, results []any) ([][]byte, error) {
	b := l.brackets
	if b == nil {
		return nil, errors.New("not in brackets")
	}
	shell, err := b.withResults(l.shell, results)
	if err != nil {
		return nil, err
	}
	at, _, ok := shell.Elements("items")
	if !ok {
		return nil, errors.New("the ResourceList around the items has no items")
	}
	texts := [][]byte{shell.Bytes()[:at[0]+1]}
	for i, item := range items {
		lead, text, err := b.text(i, item)
		if err != nil {
			return nil, err
		}
		texts = append(texts, lead, text)
	}
	if len(items) > 0 {
		texts = append(texts, b.closing)
	}
	return append(texts, shell.Bytes()[at[1]-1:]), nil
}

// text returns the text of the item with an index, and the text above it.
func (b *brackets) text(index int, item *Item) (lead, text []byte, err error) {
	at := item.at.inBrackets
	if at == nil {
		return nil, nil, errors.New("not in brackets")
	}
	if text, err = item.encode(); err != nil {
		return nil, nil, itemError(index+1, item, err)
	}
	switch {
	case index == 0:
		return b.open, text, nil
	case at.lead == nil:
		return b.gap, text, nil
	}
	return at.lead, text, nil
}

// withResults returns the shell with results appended to its own.
func (b *brackets) withResults(shell *yaml.Node, results []any) (*manifest.Text, error) {
	doc, err := withResults(shell, results)
	if err != nil || doc == shell {
		return b.shell, err
	}
	part := parts.Part{Value: doc.Content[0], Local: parts.Entry{Value: b.shell.Root()}, From: parts.Local}
	text, _, err := manifest.Edit(b.shell, nil, part)
	if err != nil {
		return nil, err
	}
	return manifest.Document(text)
}

package pkgmerge

import (
	"bytes"
	"slices"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// cutList is the text of a List in lines: above the items, the items, and below them, with the column of the items'
// dashes.
type cutList struct {
	above, below []byte
	items        [][]byte
	column       int
}

// newCutList cuts a List into its items by its lines, nil if that may be wrong.
func newCutList(r *Resource) *listed {
	if !r.isList() || !r.item.IsDocument() {
		return nil
	}
	l := &listed{list: r}
	number, ok := l.cut.read(r.item.Text())
	if !ok {
		return nil
	}
	for _, text := range l.cut.items {
		item, err := resourcelist.Document(resourcelist.WithoutDash(text, l.cut.column), r.item.Line+number)
		if err != nil {
			return nil
		}
		one := FromItem(r.File, r.Index, item)
		if one.Meta.Kind == "" {
			return nil
		}
		one.Label, one.document, one.in = r.Label, r.document, l
		l.resources = append(l.resources, one)
		number += bytes.Count(text, []byte("\n"))
	}
	return l
}

// read cuts the text of a List, and returns the number of lines above the items. ok is false for a text in flow style or
// with anchors, and for items with lines that are indented less than their fields.
func (c *cutList) read(text []byte) (above int, ok bool) {
	at := bytes.Index(text, []byte("\nitems:\n")) + 1
	if at == 0 || bytes.ContainsAny(text, "\r\t") || mayHaveAnchors(text) {
		return 0, false
	}
	start := at + len("items:\n")
	if c.column = bytes.IndexByte(text[start:], '-'); c.column < 0 || len(bytes.TrimLeft(text[start:start+c.column], " ")) > 0 {
		return 0, false
	}
	end, ok := c.cutItems(text, start)
	if !ok {
		return 0, false
	}
	c.above, c.below = text[:start], text[end:]
	return bytes.Count(c.above, []byte("\n")), !bytes.Contains(c.below, []byte("\nitems:")) && bytes.HasSuffix(text, []byte("\n"))
}

// cutItems cuts the items of a List, which begin at start, and returns their end in the text.
func (c *cutList) cutItems(text []byte, start int) (end int, ok bool) {
	end, from := len(text), start
	for line := range bytes.Lines(text[start:]) {
		content := bytes.TrimLeft(line, " ")
		indent, blank := len(line)-len(content), len(bytes.TrimSpace(content)) == 0
		switch {
		case blank || indent >= c.column+2:
		case indent == c.column && bytes.HasPrefix(content, []byte("- ")) && content[2] > ' ' && content[2] != '#':
			if from > start {
				c.items = append(c.items, text[start:from])
			}
			start = from
		case indent == 0 && content[0] != '#' && content[0] != '-':
			end = from
		default:
			return 0, false
		}
		if end < len(text) {
			break
		}
		from += len(line)
	}
	c.items = append(c.items, text[start:end])
	return end, true
}

// mayHaveAnchors reports whether a text may have an anchor or an alias.
func mayHaveAnchors(text []byte) bool {
	for i, b := range text {
		if (b == '&' || b == '*') && i > 0 && i+1 < len(text) && text[i-1] == ' ' && text[i+1] > ' ' && text[i+1] != b {
			return true
		}
	}
	return false
}

// joined returns the List that was cut with the merged items.
func (l *listed) joined(of map[*Resource]*Change) (*resourcelist.Item, error) {
	var text []byte
	changed, kept := false, 0
	for i, r := range l.resources {
		item := l.cut.items[i]
		if c := of[r]; c != nil && c.Action == Deleted {
			changed = true
			continue
		} else if c != nil && c.Action == Changed {
			document, err := c.Result.YAML()
			if err != nil {
				return nil, err
			}
			item, changed = resourcelist.WithDash(document, l.cut.column), true
		}
		text, kept = append(text, item...), kept+1
	}
	if !changed {
		return l.list.item, nil
	}
	above := l.cut.above
	if kept == 0 {
		above = append(bytes.TrimSuffix(bytes.Clone(above), []byte("\n")), " []\n"...)
	}
	return resourcelist.Document(slices.Concat(above, text, l.cut.below), l.list.item.Line)
}

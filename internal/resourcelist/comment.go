package resourcelist

import (
	"bytes"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// SetMergeComment returns a copy of item in which the metadata field has text,
// such as "kpt-merge: namespace/name", as its line comment (design 2): on the
// key, or on a value that is not a block mapping. Another line comment moves to
// the end of the head comment. An item in flow style becomes a block mapping: no
// comment ends a field in flow style. It returns item itself if it has that
// comment or no metadata, if no comment can hold text, or if there is no place
// for one: beside an anchor or a tag yaml.v3 gives it to the field below.
func SetMergeComment(item *yaml.Node, text string) *yaml.Node {
	at := position(item, "metadata")
	if at < 0 || !fitsComment(text) || isMarked(item.Content[at+1]) {
		return item
	}
	comment := "# " + text
	key, value := *item.Content[at], *item.Content[at+1]
	old := lineComment(item, at)
	key.LineComment, value.LineComment = "", ""
	slot := &value.LineComment
	if isBlock(&value) {
		slot = &key.LineComment
	}
	if old == comment {
		return item
	}
	key.HeadComment, *slot = joinComments("\n", key.HeadComment, old), comment
	n := *item
	n.Style &^= yaml.FlowStyle
	n.Content = append([]*yaml.Node(nil), item.Content...)
	n.Content[at], n.Content[at+1] = &key, &value
	return &n
}

// fitsComment tells whether text is one line that YAML can hold.
func fitsComment(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
	})
}

// WithMergeComment returns i with SetMergeComment's node. If i has text, the
// comment is spliced into it and every other byte stays, unless that would give
// another node; then the item will be encoded.
func (i *Item) WithMergeComment(text string) *Item {
	was := i.Head()
	meant := SetMergeComment(was, text)
	if meant == was {
		return i
	}
	if i.skim != nil {
		if spliced := i.edited(i.skim.WithComment("# " + text)); spliced != nil {
			return spliced
		}
		return i.afterParsing(func(i *Item) *Item { return i.WithMergeComment(text) })
	}
	spliced := i.splice(meant)
	if spliced == nil {
		return i.WithNode(meant)
	}
	changed := *i
	changed.Node, changed.text = meant, spliced
	if i.sure && i.hasBareMetadata() {
		return &changed
	}
	node, err := parseItem(spliced, i.follow)
	if err != nil || !isSame(meant, node) {
		return i.WithNode(meant)
	}
	changed.Node, changed.base, changed.sure = node, 2, true
	return &changed
}

// hasBareMetadata tells whether the metadata of i is a block with nothing after
// its key, and with its first field, not a comment, in the next line. To put a
// comment there is certain to change nothing else.
func (i *Item) hasBareMetadata() bool {
	at := position(i.Node, "metadata")
	key, value := i.Node.Content[at], i.Node.Content[at+1]
	if !isBlock(i.Node) || !isBlock(value) || isMarked(value) || value.Kind != yaml.MappingNode || value.Line != key.Line+1 {
		return false
	}
	start, end := nthLine(i.text, key.Line-i.base)
	return start >= 0 && key.Column-1 <= end-start && string(i.text[start+key.Column-1:end]) == "metadata:"
}

// splice returns i's text with the line comment that the metadata of meant has,
// and the former one above, or nil if it cannot be done in one line.
func (i *Item) splice(meant *yaml.Node) []byte {
	at := position(meant, "metadata")
	key, was := meant.Content[at], lineComment(i.Node, at)
	start, end := nthLine(i.text, key.Line-i.base)
	if start < 0 || key.Column-1 > end-start {
		return nil
	}
	margin, rest := i.text[start:start+key.Column-1], string(i.text[start+key.Column-1:end])
	rest = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(rest, " \t"), was), " \t")
	var b bytes.Buffer
	b.Write(i.text[:start])
	b.Write(margin)
	if was != "" {
		b.WriteString(was + "\n" + strings.Repeat(" ", len(margin)))
	}
	b.WriteString(rest + " " + lineComment(meant, at))
	b.Write(i.text[end:])
	return b.Bytes()
}

// lineComment returns the line comment of the field whose key is at a position.
func lineComment(mapping *yaml.Node, at int) string {
	return joinComments(" ", mapping.Content[at].LineComment, mapping.Content[at+1].LineComment)
}

// nthLine returns where a line of text begins and where its line break is, for
// n from 0; -1 if there is no such line.
func nthLine(text []byte, n int) (start, end int) {
	for ; n > 0 && start < len(text); n-- {
		start = nextLine(text, start)
	}
	if n < 0 || start >= len(text) {
		return -1, -1
	}
	return start, nextLine(text, start) - 1
}

package resourcelist

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// readWhole reads data with the full parser. On an error it returns the readable items: the mappings (rules/input:
// bad input). A document that is no ResourceList has no items (rules/function: output).
//
// In a block list, items keep their lines if these, parsed alone, give the same values; that is checked on writing. A
// comment between two items may belong to the other one than in the tree, as yaml.v3 gives some to the wrong one, but
// each is in one item's lines.
func readWhole(data []byte) (*List, error) {
	list := Empty()
	doc, err := parse(data)
	if err != nil {
		return list, err
	}
	root := doc.Content[0]
	if err = check(root); yamlnode.Text(yamlnode.Field(root, "kind")) != "ResourceList" {
		return list, err
	}
	if checkShell(root) == nil {
		list.shell = shellOf(doc)
	}
	items, fault := wholeItems(yamlnode.Field(root, "items"))
	if list.Items = items; err == nil {
		err = fault
	}
	if at := position(root, "items"); len(items) > 0 && hasLineRanges(data, root.Content[at+1]) {
		list.useLines(data, root, at)
	}
	return list.finishWhole(data, err)
}

// finishWhole makes each item of a list from the full parser stand for itself. With an error only the items stay
// that are mappings.
func (l *List) finishWhole(data []byte, err error) (*List, error) {
	if err == nil {
		if inBrackets, ok := l.readFlow(data); ok {
			return inBrackets, nil
		}
	}
	if fault := unlink(l); fault != nil {
		return Empty(), cmp.Or(err, fault)
	}
	if err == nil {
		l.skim()
		return l, nil
	}
	l.Items = slices.DeleteFunc(l.Items, func(i *Item) bool { return yamlnode.Resolve(i.Node).Kind != yaml.MappingNode })
	return l, err
}

// skim reduces the items with plain texts to skimmed ones, as when the list is split, so that their texts can be
// compared (rules/reading: skimming).
func (l *List) skim() {
	for n, item := range l.Items {
		if item.parsed == nil {
			continue
		}
		if s := manifest.SkimItem(item.text, l.column); s != nil {
			l.Items[n] = skimmedItem(s, item.text, chunk{end: len(item.text)}, l.column)
			l.Items[n].Line = item.Line
		}
	}
}

// readFlow reads the items of a list in flow style with their texts. It fails if an item does not have the same
// values when read alone.
func (l *List) readFlow(data []byte) (*List, bool) {
	if len(l.Items) == 0 || l.Items[0].text != nil {
		return nil, false
	}
	text, err := manifest.Document(data)
	if err != nil {
		return nil, false
	}
	at, items, ok := text.Elements("items")
	if !ok || len(items) != len(l.Items) {
		return nil, false
	}
	out, ok := readBrackets(data, at, items, func(manifest.Span) *manifest.Skim { return nil })
	if !ok {
		return nil, false
	}
	for i, item := range out.Items {
		if d := manifest.Compare(l.Items[i].Node, item.Node); !d.SameValues() {
			return nil, false
		}
	}
	return out, true
}

// wholeItems returns the items in the value of items, which may be nil. It is an error if one is not a mapping.
func wholeItems(list *yaml.Node) (items []*Item, err error) {
	if list == nil || list.ShortTag() == "!!null" {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: items is %s, not a list", list.Line, kindName(list))
	}
	for i, node := range list.Content {
		if yamlnode.Resolve(node).Kind != yaml.MappingNode && err == nil {
			err = fmt.Errorf("line %d: item %d is %s, not a mapping", node.Line, i+1, kindName(node))
		}
		items = append(items, &Item{Node: node, Line: node.Line, base: node.Line, wide: isWide(node), at: lines{}})
	}
	return items, err
}

// shellOf returns a copy of doc as a shell: a block mapping with an empty field items, in its place or last.
func shellOf(doc *yaml.Node) *yaml.Node {
	shell, root := *doc, *doc.Content[0]
	root.Style &^= yaml.FlowStyle
	root.Content = append([]*yaml.Node(nil), root.Content...)
	at := position(&root, "items")
	if at < 0 {
		at = len(root.Content)
		root.Content = append(root.Content, yamlnode.String("items"), emptyList())
	}
	key, value := *yamlnode.String("items"), *emptyList()
	key.HeadComment = yamlnode.JoinComments("\n", root.Content[at].HeadComment, root.Content[at+1].HeadComment)
	key.FootComment = root.Content[at].FootComment
	value.LineComment = yamlnode.JoinComments(" ", root.Content[at].LineComment, root.Content[at+1].LineComment)
	root.Content[at], root.Content[at+1] = &key, &value
	shell.Content = []*yaml.Node{&root}
	return &shell
}

// The guards of rules/reading: guards of a list: splitting a list by lines and parsing the items alone gives the same
// result as the full parser, unless one of these applies. Each errs on the side of the full parser.

// needsFullParser checks the guards for the text above the items, which includes their key, and below them; a `---`
// in the first line is harmless. Lines of items need no check: they cannot match, except for isPlainText, which holds
// for every skimmed text.
func needsFullParser(above, below []byte) bool {
	return !isPlainText(above) || manifest.HasMarker(bytes.TrimPrefix(above, []byte("---\n"))) ||
		!isPlainText(below) || manifest.HasMarker(below) || itemsLine(below) >= 0
}

// isPlainText reports whether YAML reads the same characters and lines in text. It is false for a byte order mark, a
// NUL, or a line break of YAML other than LF.
func isPlainText(text []byte) bool {
	return !isUTF16(text) && !slices.ContainsFunc([]string{"\uFEFF", "\x00", "\r", "\u0085", "\u2028", "\u2029"}, func(sign string) bool {
		return bytes.Contains(text, []byte(sign))
	})
}

// isFlow reports whether data is JSON or other input that begins with a flow collection.
func isFlow(data []byte) bool {
	return bytes.HasPrefix(data, []byte("{")) || bytes.HasPrefix(data, []byte("["))
}

// isUTF16 reports whether data has a byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF"))
}

// isItemsLine reports whether a line has the key of the items, and at most a comment after it.
func isItemsLine(l []byte) bool {
	rest := bytes.TrimSuffix(bytes.TrimPrefix(l, []byte("items:")), []byte("\n"))
	text := bytes.TrimLeft(rest, " ")
	return len(text) == 0 || text[0] == '#' && len(text) < len(rest)
}

// isOuterComment reports whether a line is a comment between items, above the first or below the last: only yaml.v3
// decides which one it belongs to.
func isOuterComment(l line, column int) bool {
	return l.indent <= column && l.first == '#'
}

// isPlainShell reports whether the head, `items: []` in the given line, and the tail are a block mapping with this
// items key and no other.
func isPlainShell(root *yaml.Node, line int) bool {
	at := position(root, "items")
	if at < 0 || root.Style&yaml.FlowStyle != 0 || root.Content[at].Line != line {
		return false
	}
	items := root.Content[at+1]
	return items.Kind == yaml.SequenceNode && len(items.Content) == 0 && items.Line == line
}

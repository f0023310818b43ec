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
// In a block list, items keep their lines if these, parsed alone, give the same values. A comment between two items may
// belong to the other one than in the tree, as yaml.v3 gives some to the wrong one, but each is in one item's lines.
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
	value := yamlnode.Field(root, "items")
	items, fault := wholeItems(value)
	list.Items, err = items, cmp.Or(err, fault)
	switch {
	case len(items) == 0:
	case err == nil && value.Style&yaml.FlowStyle != 0:
		if inBrackets, ok := list.readFlow(data); ok {
			return inBrackets, nil
		}
	default:
		list.useLines(data, root, position(root, "items"))
	}
	if fault := unlink(list); fault != nil {
		return Empty(), cmp.Or(err, fault)
	}
	if err != nil {
		list.Items = slices.DeleteFunc(list.Items, func(i *Item) bool { return yamlnode.Resolve(i.Node).Kind != yaml.MappingNode })
		return list, err
	}
	list.skim()
	return list, nil
}

// skim reduces the items with plain texts to skimmed ones, as when the list is split, so that their texts can be
// compared (rules/reading: skimming).
func (l *List) skim() {
	for n, item := range l.Items {
		if item.parsed == nil {
			continue
		}
		if s := manifest.SkimItem(item.text, l.column); s != nil {
			l.Items[n] = skimmedItem(s, item.text, item.Line-s.Above(), l.column)
		}
	}
}

// readFlow reads the items of a list in flow style with their texts. It fails if an item does not have the same
// values when read alone.
func (l *List) readFlow(data []byte) (*List, bool) {
	text, err := manifest.Document(data)
	if err != nil {
		return nil, false
	}
	at, items, ok := text.Elements("items")
	if !ok || len(items) != len(l.Items) {
		return nil, false
	}
	out, ok := readBrackets(data, at, items, func(manifest.Span) *manifest.Skim { return nil })
	return out, ok && slices.EqualFunc(l.Items, out.Items, func(whole, alone *Item) bool {
		return manifest.Compare(whole.Node, alone.Node).SameValues()
	})
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
		items = append(items, &Item{Node: node, Line: node.Line, above: node.Line - 1, wide: manifest.IsWide(node)})
	}
	return items, err
}

// shellOf returns a copy of doc as a shell: a block mapping with an empty field items, in its place or last.
func shellOf(doc *yaml.Node) *yaml.Node {
	shell, root, at := withList(doc, "items")
	root.Style &^= yaml.FlowStyle
	key, value := *yamlnode.String("items"), *emptyList()
	key.HeadComment = yamlnode.JoinComments("\n", root.Content[at].HeadComment, root.Content[at+1].HeadComment)
	key.FootComment = root.Content[at].FootComment
	value.LineComment = yamlnode.JoinComments(" ", root.Content[at].LineComment, root.Content[at+1].LineComment)
	root.Content[at], root.Content[at+1] = &key, &value
	return shell
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
	return !isUTF16(text) && !bytes.ContainsAny(text, "\uFEFF\x00\r\u0085\u2028\u2029")
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

// Limits of the copies that replace aliases to other items (rules/input: limits): the number of nodes of all copies
// in a list, and the nesting.
const (
	maxCopied = 100_000
	maxDepth  = 1_000
)

// unlinker makes every item, and the shell, independent of the others: an alias to an anchor elsewhere becomes a copy
// of the anchor's node, so that items can be dropped, moved and changed and the rest stays valid. Aliases within an
// item, and anchors, stay.
type unlinker struct {
	owner  map[*yaml.Node]int // the item of an anchor, -1 for the shell
	copied int
}

// unlink unlinks the items and the shell of list. It is an error if an alias is within its own anchor's node, or if
// the copies exceed a limit.
func unlink(list *List) error {
	u := &unlinker{owner: map[*yaml.Node]int{}}
	aliases := u.learn(-1, list.shell)
	for i, item := range list.Items {
		aliases = u.learn(i, item.Node) || aliases
	}
	if !aliases {
		return nil
	}
	for i, item := range list.Items {
		node, err := u.unlinked(i, item.Node)
		if err != nil {
			return fmt.Errorf("line %d: item %d: %w", item.Line, i+1, err)
		}
		if node != item.Node {
			list.Items[i] = item.WithNode(node)
		}
	}
	shell, err := u.unlinked(-1, list.shell)
	list.shell = shell
	return err
}

// learn records owner as the owner of the anchors below n, and reports whether there are aliases.
func (u *unlinker) learn(owner int, n *yaml.Node) bool {
	aliases := false
	yamlnode.Walk(n, func(n *yaml.Node) {
		aliases = aliases || n.Kind == yaml.AliasNode
		if n.Anchor != "" {
			u.owner[n] = owner
		}
	})
	return aliases
}

// isForeign reports whether n is an alias of an anchor with another owner.
func (u *unlinker) isForeign(owner int, n *yaml.Node) bool {
	if n.Kind != yaml.AliasNode {
		return false
	}
	of, known := u.owner[n.Alias]
	return !known || of != owner
}

// unlinked returns n itself if nothing below it is foreign, else a copy.
func (u *unlinker) unlinked(owner int, n *yaml.Node) (*yaml.Node, error) {
	foreign := false
	yamlnode.Walk(n, func(n *yaml.Node) { foreign = foreign || u.isForeign(owner, n) })
	if !foreign {
		return n, nil
	}
	return u.copy(owner, n, false, 0)
}

// copy copies n, and replaces foreign aliases by copies of their nodes, with the comments of the aliases. within is true
// inside such a copy, which gets no anchors.
func (u *unlinker) copy(owner int, n *yaml.Node, within bool, depth int) (*yaml.Node, error) {
	c := *n
	if u.isForeign(owner, n) {
		c, within = *n.Alias, true
		c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
	}
	if depth > maxDepth && within {
		return nil, fmt.Errorf("an alias to another item is nested deeper than %d", maxDepth)
	}
	if within {
		c.Anchor, c.Column = "", 0
		u.copied++
	}
	if u.copied > maxCopied {
		return nil, fmt.Errorf("aliases to other items grow to more than %d nodes", maxCopied)
	}
	content := c.Content
	c.Content = make([]*yaml.Node, len(content))
	for i, child := range content {
		var err error
		if c.Content[i], err = u.copy(owner, child, within, depth+1); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

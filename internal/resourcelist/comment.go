package resourcelist

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// SetMergeComment returns a copy of item in which the metadata field has text, such as "kpt-merge: namespace/name",
// as its line comment (rules/identity: merge comments): on the key, or on a value that is not a block mapping.
// Another line comment moves to the end of the head comment. It returns item itself if it has that comment or no
// metadata, if no comment can hold text, or if there is no place for one: beside an anchor or a tag yaml.v3 gives
// it to the field below, and JSON, or an item in flow style that has no line for metadata, has none
// (rules/comments-and-text: KYAML and JSON).
func SetMergeComment(item *yaml.Node, text string) *yaml.Node {
	at := position(item, "metadata")
	if at < 0 || !fitsComment(text) || isMarked(item.Content[at+1]) || item.Style&yaml.FlowStyle != 0 && !hasLine(item, at) {
		return item
	}
	comment := "# " + text
	key, value := *item.Content[at], *item.Content[at+1]
	old := lineComment(item, at)
	key.LineComment, value.LineComment = "", ""
	slot := &value.LineComment
	if yamlnode.IsBlock(&value) {
		slot = &key.LineComment
	}
	if old == comment {
		return item
	}
	key.HeadComment, *slot = yamlnode.JoinComments("\n", key.HeadComment, old), comment
	n := *item
	n.Content = append([]*yaml.Node(nil), item.Content...)
	n.Content[at], n.Content[at+1] = &key, &value
	return &n
}

// hasLine reports whether the field of an item in flow style whose key is at a position
// ends a line that can hold a comment, as in KYAML: it is no JSON, and neither metadata nor
// the field below begins in the line where the one above does.
func hasLine(item *yaml.Node, at int) bool {
	key, value := item.Content[at], item.Content[at+1]
	return key.Style&yaml.DoubleQuotedStyle == 0 && len(value.Content) > 0 && value.Content[0].Line > key.Line &&
		(at+2 == len(item.Content) || item.Content[at+2].Line > key.Line)
}

// fitsComment tells whether text is one line that YAML can hold.
func fitsComment(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
	})
}

// WithMergeComment returns i with SetMergeComment's node. If i has text, every other byte stays.
func (i *Item) WithMergeComment(text string) *Item {
	if i.form != nil {
		if commented := i.form.withMergeComment(i, text); commented != nil {
			return commented
		}
	}
	return i.reworked(func(n *yaml.Node) *yaml.Node { return SetMergeComment(n, text) })
}

// lineComment returns the line comment of the field whose key is at a position.
func lineComment(mapping *yaml.Node, at int) string {
	return yamlnode.JoinComments(" ", mapping.Content[at].LineComment, mapping.Content[at+1].LineComment)
}

// placeComments puts the comments of n and below where the encoder writes them and the parser finds them, so that
// they can be compared: their place depends on whether a collection is block or flow. It also takes the tag off
// plain `<<` keys, which yaml.v3 would write out.
func placeComments(n *yaml.Node) {
	placeCommentsBelow(n, false)
	placeElementComments(n, false)
}

// placeCommentsBelow places the comments of what is below n. In a flow collection everything is flow.
func placeCommentsBelow(n *yaml.Node, flow bool) {
	n.HeadComment, n.LineComment, n.FootComment = tidy(n.HeadComment), oneLine(n.LineComment), tidy(n.FootComment)
	if tagOf(n) == "!!merge" && n.Style == 0 {
		n.Tag = ""
	}
	flow = flow || n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		placeCommentsBelow(child, flow)
		switch {
		case n.Kind == yaml.SequenceNode:
			placeElementComments(child, flow)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			placeFieldComments(n.Content[i-1], child, flow)
		}
	}
}

// placeFieldComments places the comments of a field whose parts have theirs in place. It has one line comment: on
// the key where the value is a block collection that is not empty, else on the value (rules/comments-and-text:
// anchors and aliases); but beside an anchor or a tag yaml.v3 cannot write one. What is below a field is the key's.
func placeFieldComments(key, value *yaml.Node, flow bool) {
	comment := yamlnode.JoinComments(" ", key.LineComment, value.LineComment)
	key.LineComment, value.LineComment = "", ""
	if !flow && yamlnode.IsBlock(value) {
		placeFootComment(value)
	}
	key.FootComment = yamlnode.JoinComments("\n", value.FootComment, key.FootComment)
	value.FootComment = ""
	switch {
	case flow || !yamlnode.IsBlock(value):
		value.LineComment = comment
	case isMarked(value):
		key.HeadComment = yamlnode.JoinComments("\n", key.HeadComment, comment)
	default:
		key.LineComment = comment
	}
	if !flow {
		placeHeadComment(key, value)
	}
}

// placeHeadComment moves the head comment of a value to what has a line of its own to
// stand above: the first thing in a block collection, else the key.
func placeHeadComment(key, value *yaml.Node) {
	if yamlnode.IsBlock(value) {
		first := value.Content[0]
		first.HeadComment = yamlnode.JoinComments("\n", value.HeadComment, first.HeadComment)
	} else {
		key.HeadComment = yamlnode.JoinComments("\n", key.HeadComment, value.HeadComment)
	}
	value.HeadComment = ""
}

// placeElementComments places the comments of a block collection that is not the value of a field: the comment
// behind its dash is that above the first thing in it, and what is below it is that of the last thing in it.
func placeElementComments(n *yaml.Node, flow bool) {
	if flow || !yamlnode.IsBlock(n) || n.Kind == yaml.DocumentNode {
		return
	}
	first := n.Content[0]
	first.HeadComment, n.LineComment = yamlnode.JoinComments("\n", n.LineComment, first.HeadComment), ""
	placeFootComment(n)
}

// placeFootComment gives the comment below what is in a block collection to the last thing in it.
func placeFootComment(n *yaml.Node) {
	if n.FootComment == "" {
		return
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.MappingNode {
		last = n.Content[len(n.Content)-2]
	}
	last.FootComment, n.FootComment = yamlnode.JoinComments("\n", last.FootComment, n.FootComment), ""
	if n.Kind == yaml.SequenceNode {
		placeElementComments(last, false)
	}
}

// tidy returns a comment as it reads after having been written: every line
// begins with `#`, and there are no empty lines around it.
func tidy(comment string) string {
	if comment == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(comment), "\n")
	for i, l := range lines {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			l = "# " + l
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// oneLine returns a comment on one line, as a line comment has to be.
func oneLine(comment string) string {
	return strings.Join(strings.FieldsFunc(tidy(comment), func(r rune) bool { return r == '\n' }), " ")
}

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
	if at < 0 || !fitsComment(text) || yamlnode.IsMarked(item.Content[at+1]) || item.Style&yaml.FlowStyle != 0 && !hasLine(item, at) {
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

// fitsComment reports whether text is one line that YAML can hold.
func fitsComment(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
	})
}

// lineComment returns the line comment of the field whose key is at a position.
func lineComment(mapping *yaml.Node, at int) string {
	return yamlnode.JoinComments(" ", mapping.Content[at].LineComment, mapping.Content[at+1].LineComment)
}

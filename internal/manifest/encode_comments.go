package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// PlaceComments puts the comments of n and below where the encoder writes them and the parser finds them, so that
// they can be compared: their place depends on whether a collection is block or flow. It also takes the tag off
// plain `<<` keys, which yaml.v3 would write out.
func PlaceComments(n *yaml.Node) {
	placeCommentsBelow(n, false)
	placeElementComments(n, false)
}

// placeCommentsBelow places the comments of what is below n. In a flow collection everything is flow.
func placeCommentsBelow(n *yaml.Node, flow bool) {
	n.HeadComment, n.LineComment, n.FootComment = tidy(n.HeadComment), oneLine(n.LineComment), tidy(n.FootComment)
	if yamlnode.Tag(n) == "!!merge" && n.Style == 0 {
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
	case yamlnode.IsMarked(value):
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
func tidy(text string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = comment(l)
	}
	return strings.Join(lines, "\n")
}

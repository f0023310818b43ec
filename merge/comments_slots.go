package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// slots are the comments of a field or of a list element: above it, at the end
// of its line, and below it. The tail is the comment below what is in a field's
// block collection; that of an element is its foot.
type slots struct{ head, line, foot, tail string }

// fieldSlots reads a map entry's comments. A field has one line comment, on the
// key or on the value (design 3.6).
func fieldSlots(key, v *yaml.Node) slots {
	if key == nil {
		return slots{}
	}
	s := nodeSlots(key)
	if s.line == "" {
		s.line = v.LineComment
	}
	s.tail = strings.TrimRight(v.FootComment, "\n")
	return s
}

// nodeSlots reads a node's comments. An empty line at the end of one is layout.
func nodeSlots(n *yaml.Node) slots {
	if n == nil {
		return slots{}
	}
	return slots{
		head: strings.TrimRight(n.HeadComment, "\n"),
		line: n.LineComment,
		foot: strings.TrimRight(n.FootComment, "\n"),
	}
}

// onField writes the comments to a map entry. The line comment goes on the key
// where the value is a block collection that is not empty, else on the value
// (`env: # why` before `[]` would not parse). An entry whose comments are these
// already is returned as it is; was is the value that stood there with them.
func (s slots) onField(key, v, was *yaml.Node) (*yaml.Node, *yaml.Node) {
	if v == was && fieldSlots(key, v) == s {
		return key, v
	}
	onKey, onValue := s, nodeSlots(v)
	onKey.tail, onValue.line, onValue.foot = "", "", s.tail
	if !isBlock(v) {
		onKey.line, onValue.line = "", s.line
		onKey.foot, onValue.foot = joinComments(s.tail, s.foot), ""
	}
	return onKey.onNode(key), onValue.onNode(v)
}

// onNode writes the comments to a node, on a copy if they are not there yet.
func (s slots) onNode(n *yaml.Node) *yaml.Node {
	if nodeSlots(n) == s {
		return n
	}
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = s.head, s.line, s.foot
	return &out
}

// isBlock reports whether n is a block collection with something in it.
func isBlock(n *yaml.Node) bool {
	collection := n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
	return collection && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

func (s slots) withoutMergeComment() slots {
	if identity.IsComment(s.line) {
		s.line = ""
	}
	s.head, s.line = joinComments(s.head, s.line), ""
	return s
}

// joinComments is one comment of two, either of which may be missing.
func joinComments(above, below string) string {
	if above != "" && below != "" {
		above += "\n"
	}
	return above + below
}

// eachComment visits the comments of n and below. Aliases are not followed.
func eachComment(n *yaml.Node, visit func(n *yaml.Node, slot, comment string)) {
	if n == nil {
		return
	}
	for _, c := range [3]struct{ slot, text string }{{"head", n.HeadComment}, {"line", n.LineComment}, {"foot", n.FootComment}} {
		if c.text != "" {
			visit(n, c.slot, c.text)
		}
	}
	for _, c := range n.Content {
		eachComment(c, visit)
	}
}

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

// merge merges the sides' comments, slot by slot and 3-way like scalars (design
// 3.6). Where local has the merge comment at the end of the line, what the
// others say there belongs above it, where it went or will go (2).
func (m emitter) merge(s [3]slots, path *Path) slots {
	o, u, l := s[origin], s[upstream], s[local]
	if identity.IsComment(l.line) {
		o, u = o.withoutMergeComment(), u.withoutMergeComment()
	}
	return slots{
		head: m.mergeSlot(o.head, u.head, l.head, path),
		line: m.mergeSlot(o.line, u.line, l.line, path),
		foot: m.mergeSlot(o.foot, u.foot, l.foot, path),
		tail: m.mergeSlot(o.tail, u.tail, l.tail, path),
	}
}

// mergeSlot merges one comment. Where both sides changed it, at lines that touch,
// upstream's replaces local's with a remark, unless the policy is local (5). The merge comment is
// identity, not content: upstream's does not arrive, and local's is never
// rewritten.
func (m emitter) mergeSlot(o, u, l string, path *Path) string {
	if identity.IsComment(l) {
		return l
	}
	if identity.IsComment(o) {
		o = ""
	}
	if identity.IsComment(u) {
		u = ""
	}
	switch {
	case u == o || u == l || o == "" && hasBlock(l, u):
		return l
	case l == o || o == "" && hasBlock(u, l):
		return u
	}
	if merged, ok := mergeCommentLines(o, u, l); ok {
		return merged
	}
	if m.policy.Side(path) == local {
		return l
	}
	if l != "" {
		*m.remarks = append(*m.remarks, Remark{Kind: CommentReplaced, Path: path, Values: [3]*yaml.Node{textNode(o), textNode(u), textNode(l)}})
	}
	return u
}

// hasBlock reports whether a comment has the lines of another one, one below the
// other: where both were added, it lacks nothing of what the other says.
func hasBlock(comment, block string) bool {
	return block != "" && strings.Contains("\n"+comment+"\n", "\n"+block+"\n")
}

// mergeCommentLines merges a comment line by line, like a string (3.1): a
// commented-out list of which upstream changed one entry and local uncommented
// another. A comment that has one line in origin is a whole.
func mergeCommentLines(o, u, l string) (string, bool) {
	if !strings.Contains(o, "\n") || u == "" || l == "" {
		return "", false
	}
	versions := [3]string{o + "\n", u + "\n", l + "\n"}
	merged, ok := mergeLines(versions)
	if !ok {
		return "", false
	}
	versions[local] = merged
	again, ok := mergeLines(versions)
	return strings.TrimSuffix(merged, "\n"), ok && again == merged
}

// textNode is a comment as a value, nil if there is none.
func textNode(comment string) *yaml.Node {
	if comment == "" {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: comment}
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

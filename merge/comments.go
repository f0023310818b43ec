package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// merge merges the sides' comments, slot by slot and 3-way like scalars
// (rules/comments-and-text: owners of comments). Where local has the merge comment at
// the end of the line, what the others say there belongs above it, where it went or
// will go (rules/identity: merge comments).
func (m emitter) merge(s [3]slots, path *Path) slots {
	o, u, l := s[origin], s[upstream], s[local]
	if bookkeeping.IsMergeComment(l.line) {
		o, u = o.withoutMergeComment(), u.withoutMergeComment()
	}
	return slots{
		head: m.mergeSlot(o.head, u.head, l.head, path),
		line: m.mergeSlot(o.line, u.line, l.line, path),
		foot: m.mergeSlot(o.foot, u.foot, l.foot, path),
		tail: m.mergeSlot(o.tail, u.tail, l.tail, path),
	}
}

// mergeSlot merges one comment. Where both sides changed it, at lines that touch, that is a
// conflict like that of a value (rules/conflicts: comments in conflict). The merge comment
// is identity, not content: upstream's does not arrive, and local's is never rewritten.
func (m emitter) mergeSlot(o, u, l string, path *Path) string {
	if o == u && u == l || bookkeeping.IsMergeComment(l) {
		return l
	}
	if bookkeeping.IsMergeComment(o) {
		o = ""
	}
	if bookkeeping.IsMergeComment(u) {
		u = ""
	}
	switch {
	case u == o || withoutEmptyLines(u) == withoutEmptyLines(l):
		return l
	case l == o:
		return u
	case extends(l, u, o):
		return l
	case extends(u, l, o):
		return u
	}
	if merged, ok := mergeCommentLines(o, u, l); ok {
		return merged
	}
	chosen := m.policy.Side(path)
	*m.conflicts = append(*m.conflicts, Conflict{Kind: CommentChanged, Path: path, Values: [3]*yaml.Node{textNode(o), textNode(u), textNode(l)}, Chosen: chosen})
	if chosen == local {
		return l
	}
	return u
}

// extends reports whether a comment is another one and new lines around it, none of which origin
// has: it lacks nothing that the other one's side changed. Empty lines are layout.
func extends(comment, other, o string) bool {
	comment, other = "\n"+withoutEmptyLines(comment)+"\n", "\n"+withoutEmptyLines(other)+"\n"
	above, below, found := strings.Cut(comment, other)
	if !found || other == "\n\n" {
		return false
	}
	for line := range strings.Lines(above + "\n" + below) {
		if hasWords(line) && hasBlock(o, strings.TrimSuffix(line, "\n")) {
			return false
		}
	}
	return true
}

// withoutEmptyLines returns a comment without the empty lines in it.
func withoutEmptyLines(comment string) string {
	for strings.Contains(comment, "\n\n") {
		comment = strings.ReplaceAll(comment, "\n\n", "\n")
	}
	return comment
}

// hasBlock reports whether a comment has the lines of another one, one below the other.
func hasBlock(comment, block string) bool {
	return block != "" && strings.Contains("\n"+comment+"\n", "\n"+block+"\n")
}

// mergeCommentLines merges a comment line by line, like a string (rules/fields: strings
// of several lines): a commented-out list of which upstream changed one entry and local
// uncommented another. A comment that has one line in origin is a whole.
func mergeCommentLines(o, u, l string) (string, bool) {
	if !strings.Contains(o, "\n") || u == "" || l == "" {
		return "", false
	}
	merged, ok := mergeLines([3]string{o + "\n", u + "\n", l + "\n"})
	return strings.TrimSuffix(merged, "\n"), ok
}

// textNode is a comment as a value, nil if there is none.
func textNode(comment string) *yaml.Node {
	if comment == "" {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: comment}
}

// ownComments are what local says at the nodes of a result: at its own nodes,
// and at those that stand for them.
type ownComments map[*yaml.Node]slots

// note notes that n stands in the result for a node of local's, which has
// these comments.
func (o ownComments) note(n, of *yaml.Node, s slots) {
	if of != nil && n != of && s != (slots{}) {
		o[n] = s
	}
}

// learn adds the nodes of local's.
func (o ownComments) learn(n *yaml.Node) {
	eachComment(n, func(n *yaml.Node, _, _ string) { o[n] = nodeSlots(n) })
}

// slots are the comments of a field or of a list element: above it, at the end
// of its line, and below it. The tail is the comment below what is in a field's
// block collection; that of an element is its foot.
type slots struct{ head, line, foot, tail string }

// fieldSlots reads a map entry's comments. A field has one line comment, on the key or
// on the value (rules/comments-and-text: owners of comments).
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
	if !yamlnode.IsBlock(v) {
		onKey.line, onValue.line = "", s.line
		onKey.foot, onValue.foot = yamlnode.JoinComments("\n", s.tail, s.foot), ""
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

func (s slots) withoutMergeComment() slots {
	if bookkeeping.IsMergeComment(s.line) {
		s.line = ""
	}
	s.head, s.line = yamlnode.JoinComments("\n", s.head, s.line), ""
	return s
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

// Alike reports whether two versions have the same values and comments: to take
// one for the other loses nothing that was said. Order of keys, style and merge
// comments do not count. nil is alike only nil.
func Alike(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return nodeSlots(a) == nodeSlots(b) && alikeContent(a, b)
}

// alikeContent is Alike without the comments on the two nodes themselves.
func alikeContent(a, b *yaml.Node) bool {
	if !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return scalarValue(nil, a) == scalarValue(nil, b)
	case yaml.AliasNode:
		return a.Value == b.Value
	case yaml.MappingNode:
		return alikeMaps(a, b)
	}
	for i := range a.Content {
		if !Alike(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func alikeMaps(a, b *yaml.Node) bool {
	index := make(map[value]int, len(b.Content)/2)
	for i := 0; i+1 < len(b.Content); i += 2 {
		index[valueOf(b.Content[i])] = i
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		j, found := index[valueOf(a.Content[i])]
		if !found || !alikeSlots(fieldSlots(a.Content[i], a.Content[i+1]), fieldSlots(b.Content[j], b.Content[j+1])) ||
			!alikeContent(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}

// alikeSlots compares the comments of a field. Beside a merge comment, another
// line comment counts though it had to move above the field.
func alikeSlots(a, b slots) bool {
	if bookkeeping.IsMergeComment(a.line) || bookkeeping.IsMergeComment(b.line) {
		a, b = a.withoutMergeComment(), b.withoutMergeComment()
	}
	return a == b
}

// identical reports whether two nodes are written alike, comments and all;
// aliases are not followed. Versions that are identical need no merge.
func identical(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		nodeSlots(a) != nodeSlots(b) || isWord(a) != isWord(b) || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

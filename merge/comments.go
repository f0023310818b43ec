package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

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

// mergeSlot merges one comment. Where both sides changed it, at lines that touch, that is a
// conflict like that of a value (5). The merge comment is identity, not content: upstream's
// does not arrive, and local's is never rewritten.
func (m emitter) mergeSlot(o, u, l string, path *Path) string {
	if o == u && u == l || identity.IsComment(l) {
		return l
	}
	if identity.IsComment(o) {
		o = ""
	}
	if identity.IsComment(u) {
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

// mergeCommentLines merges a comment line by line, like a string (3.1): a
// commented-out list of which upstream changed one entry and local uncommented
// another. A comment that has one line in origin is a whole.
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

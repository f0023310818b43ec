package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestLineCommentOfField checks rules/comments-and-text: owners of comments: a field has one line comment, on the key
// if the value is a block collection that is not empty, else on the value.
func TestLineCommentOfField(t *testing.T) {
	for value, onKey := range map[string]bool{
		"{a: b}":   false,
		"[a]":      false,
		"{}":       false,
		"[]":       false,
		"a":        false,
		"\n  a: b": true,
		"\n- a":    true,
	} {
		n := parse(t, "k: "+value)
		key, v := slots{head: "# h", line: "# l", foot: "# f"}.onField(n.Content[0], n.Content[1], nil)
		want := [2]string{"", "# l"}
		if onKey {
			want = [2]string{"# l", ""}
		}
		if got := [2]string{key.LineComment, v.LineComment}; got != want {
			t.Errorf("%q: on the key and the value %q, want %q", value, got, want)
		}
		if key.HeadComment != "# h" || key.FootComment != "# f" || n.Content[0].HeadComment != "" {
			t.Errorf("%q: head %q, foot %q", value, key.HeadComment, key.FootComment)
		}
	}
}

// TestUnchangedFieldIsItself: a field that has its comments already is not copied, so that an unchanged item keeps
// its very nodes.
func TestUnchangedFieldIsItself(t *testing.T) {
	n := parse(t, "# h\nk: a # l\n").Content
	key, v := fieldSlots(n[0], n[1]).onField(n[0], n[1], n[1])
	if key != n[0] || v != n[1] {
		t.Error("the field was copied")
	}
}

// TestLineCommentOfEmptied: a block collection that the merge emptied is written
// as `{}` or `[]`, with the comment behind it.
func TestLineCommentOfEmptied(t *testing.T) {
	for _, kind := range []yaml.Kind{yaml.MappingNode, yaml.SequenceNode} {
		n := parse(t, "k: a")
		key, v := slots{line: "# l"}.onField(n.Content[0], &yaml.Node{Kind: kind}, nil)
		if key.LineComment != "" || v.LineComment != "# l" {
			t.Errorf("on the key %q, on the value %q", key.LineComment, v.LineComment)
		}
	}
}

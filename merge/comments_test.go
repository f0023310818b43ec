package merge

import (
	"slices"
	"strings"
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

func TestDivideLike(t *testing.T) {
	own := []string{"", "# of a", "# of c\n# c: 1"}
	origin := []string{"# of a\n# a: 1", "# of c\n# c: 1"}
	for _, tt := range []struct {
		name   string
		other  []string
		os, ys []string // nil if the text cannot be divided
	}{
		{"changed", []string{"# all of a", "# a: 1", "", "# all of c", "# c: 1"}, []string{"", "# of a", "# of c\n# c: 1"}, []string{"", "# all of a", "# all of c\n# c: 1"}},
		{"the uncommented line too", []string{"# of a", "# a: 2", "", "# of c", "# c: 1"}, []string{"", "# of a\n# a: 1", "# of c\n# c: 1"}, []string{"", "# of a\n# a: 2", "# of c\n# c: 1"}},
		{"new below the uncommented line", []string{"# of a", "# a: 1", "", "# of b", "", "# of c", "# c: 1"}, []string{"", "# of a", "# of c\n# c: 1"}, []string{"", "# of a", "# of b\n\n# of c\n# c: 1"}},
		{"removed", []string{"# of a", "# a: 1"}, []string{"", "# of a", "# of c\n# c: 1"}, []string{"", "# of a", ""}},
		{"lines of two comments", []string{"# all", "# c: 1"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os, ys, ok := divideLike([]bool{false, true, false}, own, origin, []string{strings.Join(tt.other, "\n")})
			if ok != (tt.os != nil) || ok && (!slices.Equal(os, tt.os) || !slices.Equal(ys, tt.ys)) {
				t.Errorf("%v: %q and %q, want %q and %q", ok, os, ys, tt.os, tt.ys)
			}
		})
	}
}

package resourcelist

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

func TestMergeComment(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"plain", "- kind:  A\n  metadata:\n      name:  b # c\n  x:  y\n", "- kind:  A\n  metadata: # kpt-merge: n/m\n      name:  b # c\n  x:  y\n"},
		{"first key", "- metadata:\n    name:  b\n", "- metadata: # kpt-merge: n/m\n    name:  b\n"},
		{"first key below the dash", "-\n  metadata:\n    name:  b\n", "-\n  metadata: # kpt-merge: n/m\n    name:  b\n"},
		{"quoted key", "- \"metadata\" :\n    name:  b\n", "- \"metadata\" : # kpt-merge: n/m\n    name:  b\n"},
		{"trailing spaces", "- a:  b\n  metadata:  \n    name: b\n", "- a:  b\n  metadata: # kpt-merge: n/m\n    name: b\n"},
		{"flow", "- a:  b\n  metadata: {name: b}\n", "- a:  b\n  metadata: {name: b} # kpt-merge: n/m\n"},
		{"flow of several lines", "- a: b\n  metadata: {name: b,\n    x: y}\n", "- a: b\n  metadata: {name: b,\n    x: y} # kpt-merge: n/m\n"},
		{"another comment", "- a:  b\n  metadata: # other\n    name: b\n", "- a:  b\n  # other\n  metadata: # kpt-merge: n/m\n    name: b\n"},
		{"another comment after flow", "- a:  b\n  metadata: {name: b}   # other\n", "- a:  b\n  # other\n  metadata: {name: b}   # kpt-merge: n/m\n"},
		{"another comment and one above", "- a:  b\n  # above\n  metadata: # other\n    name: b\n", "- a:  b\n  # above\n  # other\n  metadata: # kpt-merge: n/m\n    name: b\n"},
		{"another comment on the first key", "- metadata: # other\n    name:  b\n", "- # other\n  metadata: # kpt-merge: n/m\n    name:  b\n"},
		{"it is there", "- a:  b\n  metadata: # kpt-merge: n/m\n    name: b\n", "- a:  b\n  metadata: # kpt-merge: n/m\n    name: b\n"},
		{"comments around", "- # head\n  a:  b\n\n  # above\n\n  metadata:\n    # in\n    name: b\n\n    # foot\n  # end\n", "- # head\n  a:  b\n\n  # above\n\n  metadata: # kpt-merge: n/m\n    # in\n    name: b\n\n    # foot\n  # end\n"},
		{"no metadata", "- a:  b\n", "- a:  b\n"},
		{"null", "- a:  b\n  metadata:\n", "- a:  b\n  metadata: # kpt-merge: n/m\n"},
		{"anchor", "- a:  b\n  metadata: &x\n    name: b\n", "- a:  b\n  metadata: &x\n    name: b\n"},
		{"flow item", "- {a:  b, metadata: {name: b}}\n", "- {a:  b, metadata: {name: b}}\n"},
		{"name like it in a literal", "- a: |\n    metadata:\n  metadata:\n    name: b\n", "- a: |\n    metadata:\n  metadata: # kpt-merge: n/m\n    name: b\n"},
	}
	for _, test := range tests {
		for _, way := range []string{"skimmed", "parsed", "whole"} {
			t.Run(test.name+" "+way, func(t *testing.T) {
				list := readOne(t, test.input, way)
				before := yamlnode.Clone(list.Items[0].Head())
				item := list.Items[0].WithMergeComment("kpt-merge: n/m")
				if !manifest.IsSame(before, list.Items[0].Head()) {
					t.Error("the node was changed")
				}
				got := string(checkRewrite(t, list, []*Item{item}))
				if diff := cmp.Diff(head+"items:\n"+test.want, got); diff != "" {
					t.Error(diff)
				}
				if again := item.WithMergeComment("kpt-merge: n/m"); again.Text() != nil && string(again.Text()) != test.want {
					t.Errorf("the second time changed it:\n%s", again.Text())
				}
			})
		}
	}
}

// readOne reads a list with one item, by splitting it or not; the item is skimmed if possible.
func readOne(t *testing.T, item, way string) *List {
	if way != "whole" {
		list, ok := readSplit([]byte(head + "items:\n" + item))
		if !ok {
			t.Fatal("the list cannot be split")
		}
		if way == "parsed" {
			parseAll(t, list)
		}
		return list
	}
	list, err := readWhole([]byte(head + "items:\n" + item))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestMergeCommentKeepsLine(t *testing.T) {
	list, err := Read([]byte(head + "items:\n- a: b\n- a: b\n  metadata:\n    name: c\n"))
	if err != nil {
		t.Fatal(err)
	}
	item := list.Items[1].WithMergeComment("kpt-merge: n/m")
	if err = item.parse(); err != nil {
		t.Fatal(err)
	}
	if item.Line != 5 || item.Node.Content[2].LineComment != "# kpt-merge: n/m" || item.Text() == nil {
		t.Errorf("got line %d, %q", item.Line, item.Text())
	}
}

// TestMergeCommentInjection has names that do not fit in a comment.
func TestMergeCommentInjection(t *testing.T) {
	list := readOne(t, "- metadata:\n    name: b\n", "skimmed")
	for _, name := range []string{"a\nb: c", "a\rb: c", "a\u0085b", "a\u2028b", "\xff", "\x00", "\uFEFF"} {
		if list.Items[0].WithMergeComment("kpt-merge: n/"+name) != list.Items[0] {
			t.Errorf("%q was written", name)
		}
	}
	for _, name := range []string{"a#b", "a: 'b", "é 😀", "{{.name}}"} {
		item := list.Items[0].WithMergeComment("kpt-merge: n/" + name)
		if want := "- metadata: # kpt-merge: n/" + name + "\n    name: b\n"; string(item.Text()) != want {
			t.Errorf("got %q", item.Text())
		}
	}
}

// TestMergeCommentIsOneLine is the law of rules/comments-and-text: unchanged text: splicing in a merge comment
// changes no other byte.
func TestMergeCommentIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, err := Read([]byte(listText(t, rapid.Bool().Draw(t, "outer"))))
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			with := item.WithMergeComment("kpt-merge: n/m")
			if err = errors.Join(item.parse(), with.parse()); err != nil {
				t.Fatal(err)
			}
			meant := SetMergeComment(item.Node, "kpt-merge: n/m")
			if !compareValues(meant, with.Node) {
				t.Fatal("it changed the item")
			}
			if with == item || with.text == nil {
				continue
			}
			old := lineComment(item.Node, position(item.Node, "metadata"))
			if again, err := parseItem(with.text); err != nil || !compareValues(meant, again) || old == "" && !manifest.IsSame(meant, again) {
				t.Fatalf("it is not what was meant: %v\n%s", err, with.text)
			}
			if !strings.Contains(string(with.text), " # kpt-merge: n/m\n") {
				t.Fatalf("it is not there\n%s", with.text)
			}
			if old == "" && strings.ReplaceAll(string(with.text), " # kpt-merge: n/m", "") != string(item.text) {
				t.Fatalf("it changed other bytes\n%s\n%s", item.text, with.text)
			}
		}
	})
}

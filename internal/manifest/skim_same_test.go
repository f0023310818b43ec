package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSame(t *testing.T) {
	const text = "- kind: A\n  metadata:\n    name: b\n    annotations:\n      x: a\n      keep: b\n      y: c\n  spec: d\n"
	ignored := Ignored{
		Annotation: func(name string) bool { return name == "x" || name == "y" },
		Comment:    func(text string) bool { return text == " # z" },
	}
	for _, tt := range []struct {
		name, was, is string
		same          bool
	}{
		{"equal", "", "", true},
		{"a dropped one", "x: a", "x: other", true},
		{"a dropped one is missing", "      x: a\n", "", true},
		{"one that stays", "keep: b", "keep: c", false},
		{"one that stays is missing", "      keep: b\n", "", false},
		{"the name of one that stays", "keep: b", "kept: b", false},
		{"elsewhere", "spec: d", "spec: e", false},
		{"a comment elsewhere", "spec: d", "spec: d # c", false},
		{"a comment on one that stays", "keep: b", "keep: b # c", false},
		{"a comment on a dropped one", "x: a", "x: a # c", true},
		{"a comment among them", "      keep", "      # c\n      keep", false},
		{"the order", "      x: a\n      keep: b\n", "      keep: b\n      x: a\n", true},
		{"an ignored comment", "metadata:", "metadata: # z", true},
		{"another comment", "metadata:", "metadata: # y", false},
		{"not plain", "spec: d", "spec: &x d", false},
	} {
		a, b := SkimItem([]byte(text), 0), SkimItem([]byte(strings.Replace(text, tt.was, tt.is, 1)), 0)
		if got := Same(a, b, ignored); got != tt.same {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// TestSameLoose has comments and empty lines among annotations: they belong to a dropped annotation or to a kept one,
// so their order matters.
func TestSameLoose(t *testing.T) {
	head := "- kind: A\n  metadata:\n    name: b\n    annotations:\n"
	ignored := Ignored{
		Annotation: func(name string) bool { return name == "x" },
		Comment:    func(string) bool { return false },
	}
	head += "      first: d\n"
	a := SkimItem([]byte(head+"      # c\n      x: a\n      keep: b\n"), 0)
	for text, want := range map[string]bool{
		"      # c\n      x: b\n      keep: b\n": true,
		"      x: a\n      # c\n      keep: b\n": false,
		"      # c\n      keep: b\n      x: a\n": false,
		"      # d\n      x: a\n      keep: b\n": false,
	} {
		if got := Same(a, SkimItem([]byte(head+text), 0), ignored); got != want {
			t.Errorf("%v for\n%s", got, text)
		}
	}
}

func TestEdits(t *testing.T) {
	const text = "- kind: A\n  metadata:\n    name: b\n    annotations:\n      x: a\n      y: c # d\n  spec: d\n"
	for _, tt := range []struct {
		name string
		got  func(*Skim) ([]byte, bool)
		want string
		sure bool
	}{
		{"a line", func(i *Skim) ([]byte, bool) { return i.WithoutAnnotation("x") }, strings.Replace(text, "      x: a\n", "", 1), true},
		{"a comment", func(i *Skim) ([]byte, bool) { return i.WithComment("# e") }, strings.Replace(text, "metadata:", "metadata: # e", 1), true},
	} {
		got, sure := tt.got(SkimItem([]byte(text), 0))
		if diff := cmp.Diff(tt.want, string(got)); diff != "" || sure != tt.sure {
			t.Error(tt.name, sure, diff)
		}
	}
	last := SkimItem([]byte("- kind: A\n  metadata:\n    name: b\n    annotations:\n      x: a\n"), 0)
	if got, sure := last.WithoutAnnotation("x"); !sure || string(got) != "- kind: A\n  metadata:\n    name: b\n" {
		t.Errorf("the last one: %v\n%s", sure, got)
	}
	only := SkimItem([]byte("- kind: A\n  metadata:\n    annotations:\n      x: a\n"), 0)
	if _, sure := only.WithoutAnnotation("x"); sure {
		t.Error("metadata would be empty")
	}
	taken := SkimItem([]byte("- kind: A\n  metadata: # c\n    name: b\n"), 0)
	if _, sure := taken.WithComment("# d"); sure {
		t.Error("there is a comment already")
	}
}

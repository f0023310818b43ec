package manifest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// checkOutline puts the omitted values of an outline back into it, and compares it with the tree. It returns their
// number.
func checkOutline(t rapid.TB, text, name string) int {
	i := SkimItem([]byte(text), 0)
	if i == nil {
		return 0
	}
	o := i.Outline(name)
	if o == nil {
		t.Fatalf("no outline\n%s", text)
	}
	left := len(o.left)
	var whole func(n *yaml.Node)
	whole = func(n *yaml.Node) {
		for i, c := range n.Content {
			if c = o.Value(c); c == nil {
				t.Skip("a scalar below its key is left out, and not told")
			}
			n.Content[i] = c
			whole(c)
		}
	}
	whole(o.Root)
	if diff := cmp.Diff(unplaced(Tree([]byte(text)).Content[0]), unplaced(o.Root)); diff != "" {
		t.Fatalf("%s\n%s", diff, text)
	}
	return left
}

// unplaced writes a tree without the places of the nodes.
func unplaced(n *yaml.Node) string {
	var b strings.Builder
	for line := range strings.Lines(placed(n)) {
		text := strings.TrimLeft(line, " ")
		_, rest, _ := strings.Cut(text, " ")
		b.WriteString(line[:len(line)-len(text)] + rest)
	}
	return b.String()
}

func TestOutline(t *testing.T) {
	for _, tt := range []struct {
		fields string
		left   int
	}{
		{"  x:\n    a: b\n", 1},
		{"  x:\n    a: b\n# c\n\n    d: e\n  f: g\n", 1},
		{"  a:\n  - x:\n      - b\n    x2: c\n  - x:\n      d: |\n        e\n\n       \n  f: g\n", 2},
		{"  a: |\n    x:\n      b: c\n", 0},
		{"  a: 'b\n    x:\n      c: d'\n", 0},
		{"  x:\n  - a\n", 0},
		{"  x:\n  y:\n", 0},
		{"  x: {a: b}\n", 0},
		{"  x:\n\n    # a\n    x:\n      b: c\n  c:\n    x:\n      d: \"e\n\n       f\"\n", 2},
	} {
		text := "- kind: A\n  metadata:\n    name: b\n" + tt.fields
		if got := checkOutline(t, text, "x"); got != tt.left {
			t.Errorf("%d are left out, want %d\n%s", got, tt.left, text)
		}
	}
}

// TestLawOutline: an outline with its omitted values put back is the tree.
func TestLawOutline(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawItem(t, 0)
		name := "a0"
		if names := regexp.MustCompile(`([\w./-]+):\n`).FindAllStringSubmatch(text, -1); len(names) > 0 {
			name = rapid.SampledFrom(names).Draw(t, "name")[1]
		}
		left += checkOutline(t, text, name)
	})
	if left < 10/seed.Step(4) {
		t.Errorf("only %d values were left out", left)
	}
}

// TestOutlineOfDocument is TestLawOutline for a document.
func TestOutlineOfDocument(t *testing.T) {
	o := SkimDocument([]byte("# a\nkind: B\nx:\n  c: d\ne:\n  x:\n    f")).Outline("x")
	if o == nil || len(o.left) != 2 {
		t.Fatalf("got %+v", o)
	}
	if got := o.Value(o.Root.Content[3]); got == nil || got.Content[1].Value != "d" {
		t.Errorf("got %+v", got)
	}
	if got := o.Value(o.Root.Content[5].Content[1]); got != nil {
		t.Errorf("a scalar is %+v", got)
	}
	if got := o.Value(o.Root); got != o.Root {
		t.Errorf("got %+v", got)
	}
}

package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// Tree is [DocumentTree] for an item, from the comments above its dash to the end of a line: a list with a mapping.
func Tree(text []byte) *yaml.Node {
	if list := rootOf(text); isClean(text) && list != nil && list.Kind == yaml.SequenceNode && len(list.Content) == 1 && list.Content[0].Kind == yaml.MappingNode {
		return list
	}
	return nil
}

// checkTree compares the tree of a text with the parser's.
func checkTree(t rapid.TB, text string) bool {
	list := Tree([]byte(text))
	if list == nil {
		return false
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("it is not plain: %v\n%s", err, text)
	}
	if diff := cmp.Diff(placed(doc.Content[0]), placed(list)); diff != "" {
		t.Fatalf("%s\n%s", diff, text)
	}
	return true
}

// placed writes a tree with the places of the nodes, without comments.
func placed(n *yaml.Node) string {
	var b strings.Builder
	var write func(n *yaml.Node, depth int)
	write = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&b, "%*s%d:%d %d %d %s %q%s\n", depth, "", n.Line, n.Column, n.Kind, n.Style, n.Tag, n.Value, n.Anchor)
		for _, c := range n.Content {
			write(c, depth+1)
		}
	}
	write(n, 0)
	return b.String()
}

// TestLawTree: the tree of a plain text is the parser's.
func TestLawTree(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		if checkTree(t, drawItem(t, 2*rapid.IntRange(0, 1).Draw(t, "column"))) {
			plain++
		}
	})
	if plain < 10 {
		t.Errorf("only %d items were plain", plain)
	}
}

// TestLawTag: the tag of a word is the parser's.
func TestLawTag(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[-+.0-9yntfoYNTFO~<a-z]([-+.:_0-9a-fA-Fxob ]{0,8}[a-z0-9_.]|[-0-9T:.Z ]{0,12}[0-9Z]|rue|alse|ull|RUE|inf|\.nan|<)?`).Draw(t, "word")
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(word), &doc); err != nil || doc.Content[0].Kind != yaml.ScalarNode || doc.Content[0].Value != word {
			return
		}
		if got := tagOf(word); got != doc.Content[0].Tag {
			t.Fatalf("%q: %s, not %s", word, got, doc.Content[0].Tag)
		}
	})
}

// TestTree has texts in every style, and whether each is plain.
func TestTree(t *testing.T) {
	for text, plain := range map[string]bool{
		item:                                     false,
		"# a\n\n# b\n  - a: 1\n    b:\n    c:\n": true,
		"- a: |\n    x\n\n     y\n    z\n\n  b: 1\n":                                          true,
		"- a: >+\n    x\n    y\n\n     z\n    w\n\n    v\n\n\n  b: 1\n":                       true,
		"- a: >-\n\n    x\n    \tt\n    y\n   \n":                                             true,
		"- a: |\n  b: |+\n\n  c: >\n    x\n     \n":                                           true,
		"- a: |-\n\n\n    é # x\n  # d\n":                                                     true,
		"- a:\n  - |\n   x\n  - b: ''\n  - {a: \"\\\"é\\\\\", b: [c, {}]} # d\n  c: [] # d\n": true,
		"- a: 1\n- b: 1\n": false,
		"a: 1\n":           false,
		"- a\n":            false,
		"-\n":              false,
		"# a\n":            false,
		"":                 false,
		"- a: 1\nb: 1\n":   false,
		"- a: 1\n b: 1\n":  false,
		"- 80: 0o17\n  true: <<\n  null: 2001-01-01\n  b: .inf\n  c: -.5\n  d: 1_0\n  e: 0x1F\n": true,
	} {
		if got := checkTree(t, text); got != plain {
			t.Errorf("plain: %v\n%s", got, text)
		}
	}
}

func FuzzTree(f *testing.F) {
	f.Add(item)
	for _, text := range notPlain() {
		f.Add(text)
	}
	for _, fields := range plain() {
		f.Add("- kind: A\n  metadata:\n    name: b\n" + fields)
	}
	f.Add("- a: >+\n    x\n    y\n\n     z\n    w\n\n    v\n\n\n  b: 0x1F\n  # c\n")
	f.Fuzz(func(t *testing.T, text string) { checkTree(t, text) })
}

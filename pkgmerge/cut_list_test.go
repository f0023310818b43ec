package pkgmerge

import (
	"bytes"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// TestCutList: the items of a List written by kubectl become documents, and the documents become the same items
// again, also lines of blanks, which are a part of a block.
func TestCutList(t *testing.T) {
	const text = `apiVersion: v1
items:
- apiVersion: v1
  data:
    text: |
      - one

        two
  kind: ConfigMap

- apiVersion: v1
  kind: Secret
kind: List
`
	for _, indented := range []bool{false, true} {
		text := []byte(strings.Replace(text, "two\n", "two\n          \n        three\n", 1))
		if indented {
			text = bytes.ReplaceAll(text, []byte("\n  "), []byte("\n    "))
			text = bytes.ReplaceAll(text, []byte("\n- "), []byte("\n  - "))
		}
		var c cutList
		if above, ok := c.read(text); !ok || above != 2 || len(c.items) != 2 || string(c.below) != "kind: List\n" {
			t.Fatalf("got %d, %v, %q and %q", above, ok, c.items, c.below)
		}
		if got, want := string(resourcelist.WithoutDash(c.items[0], c.column)), "apiVersion: v1\ndata:\n  text: |\n"; !bytes.HasPrefix([]byte(got), []byte(want)) {
			t.Errorf("the document is %q", got)
		}
		joined := bytes.Clone(c.above)
		for _, item := range c.items {
			joined = append(joined, resourcelist.WithDash(resourcelist.WithoutDash(item, c.column), c.column)...)
		}
		if joined = append(joined, c.below...); !bytes.Equal(joined, text) {
			t.Errorf("got\n%s", joined)
		}
	}
}

// TestCutListLeavesToTheParser: a text is not cut if its lines alone do not show its items.
func TestCutListLeavesToTheParser(t *testing.T) {
	for _, text := range []string{
		"kind: List\nitems: []\n",
		"kind: List\nitems:\n- {kind: ConfigMap}\n- &a\n  kind: Secret\n",
		"kind: List\nitems:\n- kind: ConfigMap\n  data: &d {a: b}\n- kind: ConfigMap\n  data: *d\n",
		"kind: List\nitems:\n- kind: ConfigMap\n# about the next\n- kind: Secret\n",
		"kind: List\nitems:\n-\n  kind: Secret\n",
		"kind: List\nitems:\n- kind: Secret\n  a: \"b\n c\"\n",
		"kind: List\nitems:\n- kind: Secret",
	} {
		var c cutList
		if _, ok := c.read([]byte(text)); ok {
			t.Errorf("%q is cut", text)
		}
	}
}

package resourcelist

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFeet: whatever stands below a collection, a comment at its end belongs to
// the field that it is indented like (design 3.6). Between two fields it is the
// second one's, wherever the empty lines are.
func TestFeet(t *testing.T) {
	below := map[string]string{
		"nothing":            "",
		"an item":            "- {}\n",
		"an empty line":      "\n- {}\n",
		"a field":            "  z: 1\n- {}\n",
		"a field after that": "\n  z: 1\n- {}\n",
	}
	for _, c := range []struct{ name, text, owner string }{
		{"of an element", "- l:\n    - n: a\n      # foot\n", "n"},
		{"of a list, wide", "- l:\n    - n: a\n    # foot\n", "l"},
		{"of a list of scalars, wide", "- l:\n    - a\n    # foot\n", "l"},
		{"of a map", "- m:\n    n: a\n    # foot\n", "n"},
		{"of a map below a literal", "- m:\n    n: |\n      # foot\n      x\n    # foot\n", "n"},
		{"of an inner list", "- m:\n    l:\n      - n:\n          - a\n      # foot\n", "l"},
		{"of a list of lists", "- l:\n    - - a\n      # foot\n", "a"},
	} {
		for name, what := range below {
			n, err := parseFirst([]byte("items:\n" + c.text + what))
			if err != nil {
				t.Fatal(err)
			}
			owner := ""
			walk(n, func(n *yaml.Node) {
				if n.HeadComment+n.FootComment != "" {
					owner += n.Value
				}
			})
			want := c.owner
			if want == "l" && strings.Contains(what, "z") && !strings.Contains(c.text, "m:") {
				want = "z"
			}
			if owner != want {
				t.Errorf("%s, above %s: the comment is %q's, want %q's", c.name, name, owner, want)
			}
		}
	}
}

// TestFeetByColumn: a comment of several lines is of several fields, if these
// stand in several columns.
func TestFeetByColumn(t *testing.T) {
	n, err := parseFirst([]byte("items:\n- m:\n    l:\n      - n: a\n        # of n\n      # of l\n    # also of l\n  # of m\n- {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	walk(n, func(n *yaml.Node) {
		if n.FootComment != "" {
			got += n.Value + " " + n.FootComment + "\n"
		}
	})
	if want := "m # of m\nl # of l\n# also of l\nn # of n\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFeetOfTwoBlocks: of two comments with an empty line between, both are the
// element's that they end.
func TestFeetOfTwoBlocks(t *testing.T) {
	n, err := parseFirst([]byte("l:\n- a: 1\n  # one\n\n  # two\n- b: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	elements := n.Content[1].Content
	if got := elements[0].Content[0].FootComment; got != "# one\n# two" {
		t.Errorf("below the first element is %q", got)
	}
	if got := elements[1].Content[0].FootComment; got != "" {
		t.Errorf("below the second element is %q", got)
	}
}

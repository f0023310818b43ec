package merge

import (
	"strings"
	"testing"
)

// TestPrepare checks rules/comments-and-text: anchors and aliases: an item with anchors, aliases or merge keys is
// expanded into a copy, any other item is returned itself.
func TestPrepare(t *testing.T) {
	for text, want := range map[string]string{
		"a: {b: c}":                       "",
		"a: &x b":                         "a: b\n",
		"a: &x {b: c}\nd: *x":             "a: {b: c}\nd: {b: c}\n",
		"a: &x {b: c}\nd: {<<: *x, e: f}": "a: {b: c}\nd: {b: c, e: f}\n",
		"d: {<<: {b: c}, b: e}":           "d: {b: e}\n",
		"d: {<<: [{b: c}, {b: d, e: f}]}": "d: {b: c, e: f}\n",
	} {
		n := parse(t, text)
		got, err := Expand(n)
		if err != nil {
			t.Fatal(text, err)
		}
		if want == "" && got != n {
			t.Errorf("%s was copied", text)
		}
		if want != "" && (got == n || written(got) != want) {
			t.Errorf("%s became\n%s", text, written(got))
		}
	}
}

// TestPrepareLimits has texts just within a limit, and texts beyond it (rules/input: limits).
func TestPrepareLimits(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	list := func(n int) string { return "[" + strings.Repeat("x, ", n-1) + "x]" }
	for _, tt := range []struct{ name, text, reason string }{
		{"as deep as can be", nest(maxDepth + 1), ""},
		{"deeper", nest(maxDepth + 2), "nested deeper than 1,000 levels"},
		{"deep by an alias", "a: &x " + nest(600) + "\nb: " + strings.Repeat("[", 600) + "*x" + strings.Repeat("]", 600), "nested deeper than 1,000 levels"},
		{"as deep as can be by an alias", "a: &x b\nc: " + strings.Repeat("[", maxDepth-1) + "*x" + strings.Repeat("]", maxDepth-1), ""},
		{"deep by an alias to maps", "a: &x " + strings.Repeat("{a: ", 600) + "b" + strings.Repeat("}", 600) + "\nb: " + strings.Repeat("{a: ", 600) + "*x" + strings.Repeat("}", 600), "nested deeper than 1,000 levels"},
		{"growth", "a: &x " + list(500) + "\nb: [" + strings.Repeat("*x, ", 9) + "*x]", ""},
		{"a bomb", "a: &x " + list(500) + "\nb: [" + strings.Repeat("*x, ", 20) + "*x]", "aliases expand to many times the size of the item"},
		{"a key twice", "a: b\n'a': c", `duplicate key "a"`},
		{"a number twice", "1: b\n0x1: c", `duplicate key "0x1"`},
		{"a list as a key", "? [a]\n: b", "a map key is a list or a map"},
		{"a merge key of a scalar", "a: {<<: b}", "the value of a merge key (<<) is not a mapping"},
	} {
		_, err := Expand(parse(t, tt.text))
		reason := ""
		if err != nil {
			reason = err.(*Fault).Reason
		}
		if reason != tt.reason {
			t.Errorf("%s: %q, want %q", tt.name, reason, tt.reason)
		}
	}
}

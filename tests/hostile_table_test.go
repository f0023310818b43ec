package tests

import (
	"fmt"
	"strings"
)

// hostile is something odd that may stand in YAML: lines of a mapping, and what
// the function says of them. "" is the right answer, anything else a part of
// the error.
type hostile struct {
	name, text            string
	through, merged, list string // the three places where it may stand
}

// isRelaid reports whether the text has other line breaks than \n, or characters
// that change how lines are counted: such a list keeps its values, but not its
// layout.
func (h hostile) isRelaid() bool { return strings.ContainsAny(h.text, "\u0085\u2028\u2029\ufeff\r") }

// notYAML is the error about a list that no parser can take apart.
const notYAML = "the input is not YAML"

// hostiles are the odd things that are small; hostile_size_test.go has the
// large ones.
func hostiles() []hostile {
	return []hostile{
		{"alias bomb", aliasBomb(9), "", "aliases expand to many times", ""},
		{"alias cycle", "a: &a [*a]\n", "", `alias "a" contains itself`, ""},
		{"alias cycle of two", "a: &a {b: &b {a: *a, b: *b}}\n", "", "contains itself", ""},
		{"alias without anchor", "a: *nothing\n", notYAML, notYAML, notYAML},
		{"anchors and aliases", "a: &a {b: c}\nd: *a\ne: [*a, &f g, *f]\n", "", "", ""},
		{"anchor given twice", "a: &a 1\nb: *a\nc: &a 2\nd: *a\n", "", "", ""},

		{"flow nested 900 times", nested(900), "", "", ""},
		{"flow nested 1,100 times", nested(1100), "", "nested deeper than 1,000 levels", ""},
		{"flow nested 20,000 times", nested(20_000), notYAML, notYAML, notYAML},
		{"flow that does not end", "a: " + strings.Repeat("[", 500) + "\n", notYAML, notYAML, notYAML},
		{"maps nested 1,100 times", nestedBlock(1100, "a:"), "", "nested deeper than 1,000 levels", ""},
		{"dashes nested 1,100 times", "a:\n" + strings.Repeat("- ", 1100) + "b\n", "", "nested deeper than 1,000 levels", ""},

		{"NUL", "a: b\x00c\n", notYAML, notYAML, notYAML},
		{"NUL, escaped", `a: "b\0c"` + "\n", "", "", ""},
		{"invalid UTF-8", "a: b\xffc\n", notYAML, notYAML, notYAML},
		{"overlong UTF-8", "a: \xc0\xaf\n", notYAML, notYAML, notYAML},
		{"half a surrogate pair", "a: \xed\xa0\x80\n", notYAML, notYAML, notYAML},
		{"invalid UTF-8 in a comment", "a: b # \xff\n", notYAML, notYAML, notYAML},
		{"control character", "a: b\x01c\n", notYAML, notYAML, notYAML},
		{"control character, escaped", `a: "b\x01c"` + "\n", "", "", ""},
		{"line separators", "a: \"b\u2028c\u2029d\u0085e\"\n", "", "", ""},
		{"byte order mark inside", "a: b\ufeffc\n", "", "", ""},
		{"emoji and combining characters", "a: \U0001f600\u0301\n\u00e9: b\n", "", "", ""},
		{"text from right to left", "a: \u202egnp.exe\n", "", "", ""},

		{"lone CR", "a: b\r    c: d\n", "", "", ""},
		{"CR in quotes", "a: \"b\rc\"\n", "", "", ""},
		{"CR, escaped", `a: "b\r\nc"` + "\n", "", "", ""},
		{"tab as indentation", "a:\n\tb: c\n", notYAML, notYAML, notYAML},
		{"tab after a colon", "a:\tb\n", "", "", ""},
		{"tab inside and after a word", "a: b\tc\t\n", "", "", ""},
		{"tab in a literal block", "a: |\n  b\n  \tc\t\n", "", "", ""},
		{"tab at the start of a literal block", "a: |\n  \tb\n", notYAML, notYAML, notYAML},
		{"tab as indentation of a literal block", "a: |\n\tb\n", notYAML, notYAML, notYAML},

		{"duplicate keys", "a: b\na: c\n", "", `duplicate key "a"`, ""},
		{"duplicate keys below", "a: {b: c, b: d}\n", "", `duplicate key "b"`, ""},
		{"duplicate numbers", "1: b\n0x1: c\n", "", `duplicate key "0x1"`, ""},
		{"duplicate key in quotes", "a: b\n\"a\": c\n", "", `duplicate key "a"`, ""},
		{"keys that only look alike", "1: b\n\"1\": c\n", "", "", ""},

		{"merge key", "a: &a {b: c}\nd:\n  <<: *a\n  e: f\n", "", "", ""},
		{"merge key with a list", "a: &a {b: c}\nd: {<<: [*a, {b: x, y: z}], e: f}\n", "", "", ""},
		{"merge key twice", "a: &a {b: c}\nd: {<<: *a, <<: *a}\n", "", "duplicate key", ""},
		{"merge key of a scalar", "a: {<<: b}\n", "", "the value of a merge key (<<) is not a mapping", ""},
		{"merge key of itself", "a: &a {<<: *a}\n", "", "contains itself", ""},
		{"merge key in quotes", "a: {\"<<\": b}\n", "", "", ""},

		{"tag binary", "a: !!binary aGVsbG8=\n", "", "", ""},
		{"tag binary of no base64", "a: !!binary \"%%%\"\n", "", "", ""},
		{"tag set", "a: !!set {b, c}\n", "", "", ""},
		{"tag str of a number", "a: !!str 1\n", "", "", ""},
		{"tag int of a string", "a: !!int \"3\"\n", "", "", ""},
		{"tag int of no number", "a: !!int b\n", "", "", ""},
		{"tag of an application", "a: !ruby/object:Gem {b: c}\nd: !<tag:x.org,2000:y> e\n", "", "", ""},
		{"tag null", "a: [!!null \"\", !!null b]\n", "", "", ""},

		{"words of YAML 1.1", "a: [yes, No, on, OFF, y, n, ~, Null]\n", "", "", ""},
		{"octal of 1.1 and of 1.2", "a: [010, 0o10, 08, 0o8, -010]\n", "", "", ""},
		{"other numbers", "a: [0b11, 0x1F, 1_000, +1, .5, 5., 1e3, -.inf, 1:30:00]\n", "", "", ""},
		{"numbers too large", "a: [9223372036854775808, 18446744073709551616, 0xffffffffffffffffffff, 1e400]\n", "", "", ""},
		{"dates", "a: [2001-01-01, 2001-12-14t21:59:43.10-05:00, 2001-13-45]\n", "", "", ""},
		{"not a number", "a: .nan\n", "", "", ""},

		{"keys that are no strings", "a: {1: b, true: c, 1.5: d, 2001-01-01: e}\n", "", "", ""},
		{"key null", "a: {null: b}\nc: {~: d}\n", "", "", ""},
		{"key that is empty", "a: {\"\": b}\n", "", "", ""},
		{"key that is missing", "a:\n  : b\n", notYAML, notYAML, notYAML},
		{"key that is a list", "a:\n  ? [b]\n  : c\n", "", "a map key is a list or a map", ""},
		{"key that is a map", "{a: b}: c\n", "", "a map key is a list or a map", ""},
		{"key that is an alias", "a: &a b\n*a : c\n", "", "", ""},
		{"key of 1,000 characters", strings.Repeat("k", 1000) + ": a\n", "", "", ""},
		{"key of 2,000 characters", strings.Repeat("k", 2000) + ": a\n", notYAML, notYAML, notYAML},

		{"end of a document in a literal block", "a: |\n  ---\n  ...\n  %YAML 1.2\n", "", "", ""},
		{"directive", "a: b\n%TAG ! x\n", notYAML, notYAML, notYAML},
		{"text that looks like a list", "a: |\n  items:\n  - kind: X\n", "", "", ""},
		{"quotes that do not end", "a: \"b\n", notYAML, notYAML, notYAML},
		{"comment that looks like data", "a: b # c: d\n# items:\n#- x\ne: 'f # g'\n", "", "", ""},
	}
}

// aliasBomb stands for 10 to the power of n nodes.
func aliasBomb(n int) string {
	var b strings.Builder
	b.WriteString("b0: &b0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "b%d: &b%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func nested(n int) string {
	return "a: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n"
}

// nestedBlock has n lines, each one column deeper.
func nestedBlock(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + line + "\n")
	}
	return b.String()
}

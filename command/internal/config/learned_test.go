package config

import (
	"strings"
	"testing"
)

// The learned rules follow those written by hand, which keep their bytes, and go as they came.
func TestWithLearned(t *testing.T) {
	const rule = "# kept ours 2 of 2 times, last in abcdef0\n- kind: B\n  path: a.b\n  prefer: local\n"
	for _, c := range []struct{ text, want string }{
		{"", "conflicts:\n  rules:\n" + shiftLines(rule, 2)},
		{"adopt: [] # ours\n", "adopt: [] # ours\nconflicts:\n  rules:\n" + shiftLines(rule, 2)},
		{"conflicts:\n  rules:\n  - {kind: A,  prefer: local} # x\n  # end\n\nlists: []\n",
			"conflicts:\n  rules:\n  - {kind: A,  prefer: local} # x\n" + shiftLines(rule, 2) + "  # end\n\nlists: []\n"},
		{"- kind: A\n  # why\n  prefer: local\n", "- kind: A\n  # why\n  prefer: local\n" + rule},
		{"conflicts:\n  # why\n  prefer: local # yes\n", "conflicts:\n  rules:\n" + shiftLines(rule, 2) + "  # why\n  prefer: local # yes\n"},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			text, want := strings.ReplaceAll(c.text, "\n", end), strings.ReplaceAll(c.want, "\n", end)
			if text == "" {
				want = c.want
			}
			got, err := WithLearned("config", []byte(text), rule)
			if err != nil || string(got) != want {
				t.Errorf("%q: got\n%q, %v\nwant\n%q", text, got, err, want)
			}
			again, err := WithLearned("config", got, rule)
			if err != nil || string(again) != want {
				t.Errorf("%q, learned again: got\n%q, %v\nwant\n%q", text, again, err, want)
			}
			without, err := WithLearned("config", got, "")
			if err != nil || string(without) != text {
				t.Errorf("%q, without: got\n%q, %v", text, without, err)
			}
		}
	}
}

// An empty list in brackets becomes one over lines, and rules in brackets are refused.
func TestWithLearnedInBrackets(t *testing.T) {
	const rule = "# took upstream's 3 of 3 times, last in abcdef0\n- path: a.b\n  prefer: upstream\n"
	got, err := WithLearned("config", []byte("conflicts:\n    rules: [] \nlists: []\n"), rule)
	if want := "conflicts:\n    rules:\n" + shiftLines(rule, 4) + "lists: []\n"; err != nil || string(got) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", got, err, want)
	}
	for _, text := range []string{"conflicts: {prefer: local}\n", "{kind: A, prefer: local}\n", "conflicts:\n  rules: [{kind: A, prefer: local}]\n"} {
		if got, err := WithLearned("config", []byte(text), rule); err == nil || !strings.Contains(err.Error(), "in brackets; write") {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// A rule that is added to a config gets the config's line ends.
func TestAddRuleLineEnds(t *testing.T) {
	got, err := AddRule("config", []byte("lists: []\r\n"), "- kind: B\n  prefer: local\n")
	if want := "lists: []\r\nconflicts:\r\n  rules:\r\n  - kind: B\r\n    prefer: local\r\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// An added rule goes before the other rules, but behind the first ones for parts of its field. One that counts already is
// not added again.
func TestAddRulePlace(t *testing.T) {
	const first, part, other = "- path: spec.a\n  prefer: local\n", "- path: spec\n  prefer: upstream\n", "- path: specs\n  prefer: local\n"
	tests := []struct{ before, rule, want string }{
		{first, part, first + part},
		{first + other, part, first + part + other},
		{other + first, part, part + other + first},
		{part, first, first + part},
		{first + part, first, first + part},
		{first + part, "- path: spec.a\n  prefer: upstream\n", "- path: spec.a\n  prefer: upstream\n" + first + part},
		{"- path: spec.a\n  prefer: upstream\n" + first, first, first + "- path: spec.a\n  prefer: upstream\n" + first},
		{"path: spec.a\nprefer: local\n", part, first + part},
		{"conflicts: {rules: [{path: spec.a, prefer: local}]}\n", part, "conflicts:\n  rules:\n    - {path: spec.a, prefer: local}\n    - path: spec\n      prefer: upstream\nkind: ResourceMerge\napiVersion: fn.kpt.dev/v1alpha1\n"},
	}
	for _, test := range tests {
		if got, err := AddRule("config", []byte(test.before), test.rule); err != nil || string(got) != test.want {
			t.Errorf("%sadded to\n%sgives %v\n%swant\n%s", test.rule, test.before, err, got, test.want)
		}
	}
}

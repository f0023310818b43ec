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

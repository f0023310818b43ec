package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// plainItem is an item that is skimmed (rules/reading: skimming), with all that the
// skimmer knows.
const plainItem = `- apiVersion: v1
  kind: ConfigMap
  metadata: # kpt-merge: /shop
    name: shop
    namespace: prod
    annotations:
      config.kubernetes.io/merge-source: local
      note: 'it''s'
  data:
    a: "b\n" # c
    text: |
      d: e
        # f

      g
  list:
  - h
  - i: j
    k: {l: [m, "n"]}
  - - o
    - p
`

// nastyLines are lines that YAML might read otherwise than they look.
func nastyLines() []string {
	return []string{
		"\t", " \t# c", "# c", "      # c", "a", "a:", "a: b: c", "a : b", "a:b", ": b", "? a", "- a", "-a", "-", "--- a", "--", "...a", "%a", "@a", "`a`",
		"a: |", "a: |2", "a: |+", "a: |-2 # c", "a: >-", "a: |#", "a: | b", "a: >\n", "a: |\n\n          x\n  y", "a: 'b", "a: \"b", "a: 'b' c", "a: \"\\q\"",
		"a: 'b''", "a: [", "a: [b", "a: [b]]", "a: {b}", "a: {b: c", "a: [b,,c]", "a: [,]", "a: {,}", "a: [b: c]", "a: [b #c]", "a: [- b]", "a: {b:c}",
		"a: &x b", "a: *x", "a: !t b", "<<: {a: b}", "name: again", "kind: Again", "metadata: {}", "apiVersion: v2", "annotations: {}", "items: []", "null: a", "~: b", "a: ~", "a: NULL",
		"a: b #c", "a: b# c", "a: #c", "a:  # c", "a: b\\", "a: ,b", "a: b, c", "a: -b", "a: - b", "a: ?b", "a: :b", "a: |b", "a: %b", "1: 2", "$a/b.c_d: e", "-a: b", "--: b",
		strings.Repeat("k", 127) + ": v", strings.Repeat("k", 128) + ": v", strings.Repeat("k", 1025) + ": v", "\u00e9: a", "a: \u00a0b", "a: b\u00a0# c", "a: \u2028b", "\ufeffa: b", "a: \x7f", "a: \x85",
	}
}

// nastyBytes may change what everything around them is.
func nastyBytes() []string {
	return []string{" ", "\n", "\t", ":", ": ", "-", "#", " #", "'", "\"", "[", "}", ",", "|", ">", "&", "*", "!", "?", "%", "\\", "\r", "\x00", "\u0085", "\u2029", "\xff"}
}

// TestSkimmerMeetsNastyLines puts every nasty line below every line of an item,
// half of them in its column and half in another, and compares with the full
// parser.
func TestSkimmerMeetsNastyLines(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(plainItem, "\n")
	c := comparison{t: t}
	for at := 1; at < len(lines); at += seed.Step(3) {
		for n, nasty := range nastyLines() {
			indent := 2 * ((at + n) % 5)
			if n%2 == 0 {
				indent = len(lines[at-1]) - len(strings.TrimLeft(lines[at-1], " -"))
			}
			c.compare(strings.Join(lines[:at], "") + strings.Repeat(" ", indent) + nasty + "\n" + strings.Join(lines[at:], ""))
		}
	}
	c.check(200 / seed.Step(5))
}

// TestSkimmerMeetsNastyBytes puts nasty bytes before every byte of an item, a
// third of them before each, and takes every byte out.
func TestSkimmerMeetsNastyBytes(t *testing.T) {
	t.Parallel()
	c := comparison{t: t}
	for at := 1; at < len(plainItem); at += seed.Step(5) {
		for n, nasty := range nastyBytes() {
			if (at+n)%3 == 0 {
				c.compare(plainItem[:at] + nasty + plainItem[at:])
			}
		}
		c.compare(plainItem[:at] + plainItem[at+1:])
	}
	c.check(200 / seed.Step(5))
}

// comparison runs items through both readers.
type comparison struct {
	t              *testing.T
	merged, failed int
}

// compare runs a list that has an item on a side or on all, as it is and with
// an end marker, which is for the full parser: what comes out is the same.
func (c *comparison) compare(item string) {
	c.t.Helper()
	origin := strings.Replace(plainItem, "merge-source: local", "merge-source: origin", 1)
	upstream := strings.NewReplacer("merge-source: local", "merge-source: upstream", "- h", "- changed").Replace(plainItem)
	in := listOf("", item, origin, upstream)
	fast, fastErr := command.Function(in)
	whole, wholeErr := command.Function(append(bytes.TrimRight(in, "\n"), "\n...\n"...))
	if fmt.Sprint(fastErr) != fmt.Sprint(wholeErr) || !bytes.Equal(fast, whole) {
		c.t.Errorf("error %v, and by the full parser %v; (-whole +fast)\n%s\n%q", fastErr, wholeErr, cmp.Diff(string(whole), string(fast)), item)
	}
	if fastErr == nil {
		c.merged++
	} else {
		c.failed++
	}
}

// check makes sure that there was something to compare.
func (c *comparison) check(least int) {
	c.t.Logf("%d merged, %d failed", c.merged, c.failed)
	if c.merged < least || c.failed < least {
		c.t.Errorf("%d merged, %d failed, want at least %d of each", c.merged, c.failed, least)
	}
}

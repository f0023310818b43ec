package merge

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestMergeLines checks rules/fields: strings of several lines: lines merge as git
// merges them.
func TestMergeLines(t *testing.T) {
	const o = "a\nb\nc\nd\ne\n"
	for _, tt := range []struct{ name, o, u, l, want string }{
		{"apart", o, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		{"one unchanged line between", o, "a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"},
		{"touching", o, "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", ""},
		{"an addition that touches", o, "a\nB\nc\nd\ne\n", "a\nb\nx\nc\nd\ne\n", ""},
		{"two additions at one place", o, "a\nx\nb\nc\nd\ne\n", "a\ny\nb\nc\nd\ne\n", ""},
		{"both alike", o, "a\nB\nc\nd\nE\n", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\nE\n"},
		{"both alike, and more that touches", o, "a\nB\nC\nd\ne\n", "a\nB\nc\nd\ne\n", ""},
		{"both added, one of them more", "a\n", "a\nx\ny\n", "a\nw\nx\ny\nz\n", "a\nw\nx\ny\nz\n"},
		{"both replaced, one of them by more", o, "a\nB\nc\nd\ne\n", "a\nB\nx\nc\nd\ne\n", "a\nB\nx\nc\nd\ne\n"},
		{"removed, and replaced", o, "a\nc\nd\ne\n", "a\nB\nc\nd\ne\n", ""},
		{"both added, in another order", "a\n", "a\nx\ny\n", "a\ny\nx\nz\n", ""},
		{"added between repeated lines", "a\n\nb\n", "h\na\n\nx\n\nb\n", "a\n\nx\n\nb\n", "h\na\n\nx\n\nb\n"},
		{"added in two places", o, "x\n" + o, o + "x\n", ""},
		{"a line in common", o, "x\nu\nv\n" + o, o + "x\nl\nm\n", "x\nu\nv\n" + o + "x\nl\nm\n"},
		{"added at both ends", "a\n", "x\na\n", "a\ny\n", "x\na\ny\n"},
		{"removed and changed apart", o, "b\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "b\nc\nd\nE\n"},
		{"the last line break removed", o, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\ne", "A\nb\nc\nd\ne"},
		{"the last line break removed, and added after it", o, o + "f\n", "a\nb\nc\nd\ne", ""},
		{"CR LF on one side", o, "A\nb\nc\nd\ne\n", strings.ReplaceAll(o, "\n", "\r\n"), ""},
		{"CR LF everywhere", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
	} {
		got, ok := mergeLines([3]string{tt.o, tt.u, tt.l})
		if ok != (tt.want != "") || got != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, got, ok, tt.want)
		}
	}
}

// TestMergeManyLines: 500,000 lines, in a quick run 50,000, every second changed by one or the other.
func TestMergeManyLines(t *testing.T) {
	var texts [3]strings.Builder
	for i := range 500_000 / seed.Step(10) {
		for side := range texts {
			line := fmt.Sprintf("line %d of many\n", i)
			if i%4 == 2*side {
				line = fmt.Sprintf("side %d has %d\n", side, i)
			}
			texts[side].WriteString(line)
		}
	}
	got, ok := mergeLines([3]string{texts[1].String(), texts[0].String(), texts[1].String() + "end\n"})
	if !ok || got != texts[0].String()+"end\n" {
		t.Errorf("merged: %v", ok)
	}
}

// TestMergeLinesAsGit compares with git merge-file on files in which all lines differ: then only one merge is right. Where
// git has a conflict in which one side has all lines of the other, this side is taken (rules/laws: added without an origin);
// and where git's result has a line twice that both sides added, the lines collide (rules/laws: added once).
func TestMergeLinesAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("needs git:", err)
	}
	dir := t.TempDir()
	clean, clashes := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		o := make([]string, rapid.IntRange(1, 12).Draw(t, "lines"))
		for i := range o {
			o[i] = fmt.Sprintf("%d\n", i)
		}
		texts := [3]string{strings.Join(o, ""), drawLines(t, o, "u"), drawLines(t, o, "l")}
		want, ok := gitMerges(t, dir, texts)
		got, merged := mergeLines(texts)
		if longer, settled := takeLonger(want); !ok && settled {
			want, ok = longer, true
		}
		if !ok || !merged && addedTwice(texts, want) {
			want, ok = "", false
		}
		if merged != ok || got != want {
			t.Fatalf("got %v %q, git %v %q", merged, got, ok, want)
		}
		if ok {
			clean++
		} else {
			clashes++
		}
	})
	if clean == 0 || clashes == 0 {
		t.Errorf("%d merged, %d collided", clean, clashes)
	}
}

// drawLines draws a changed copy of lines, as a text.
func drawLines(t *rapid.T, lines []string, label string) string {
	lines = slices.Clone(lines)
	for i := range rapid.IntRange(0, 3).Draw(t, label+" edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, label+" at")
		added := fmt.Sprintf("%s%d\n", rapid.SampledFrom([]string{"both", label}).Draw(t, label+" who"), i)
		switch kind := rapid.IntRange(0, 2).Draw(t, label+" kind"); {
		case kind == 0 || at == len(lines):
			lines = slices.Insert(lines, at, added)
		case kind == 1:
			lines[at] = added
		default:
			lines = slices.Delete(lines, at, at+1)
		}
	}
	return strings.Join(lines, "")
}

// gitMerges returns git's result for texts, with origin's lines in its conflicts, and whether it has none.
func gitMerges(t *rapid.T, dir string, texts [3]string) (string, bool) {
	names := [3]string{"origin", "upstream", "local"}
	for side, text := range texts {
		names[side] = filepath.Join(dir, names[side])
		if err := os.WriteFile(names[side], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("git", "merge-file", "--diff3", "-p", names[2], names[0], names[1]).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(out), false
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), true
}

// takeLonger settles the conflicts in git's text by the side that has all lines of the other in their order, and none of
// origin's there. It reports whether all conflicts have such a side.
func takeLonger(text string) (settled string, ok bool) {
	var out []string
	var sides [3][]string
	in := -1 // the side within a conflict: local, origin or upstream
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<<"):
			sides, in = [3][]string{}, int(local)
		case strings.HasPrefix(line, "|||||||"):
			in = int(origin)
		case strings.HasPrefix(line, "======="):
			in = int(upstream)
		case strings.HasPrefix(line, ">>>>>>>"):
			long, short := sides[upstream], sides[local]
			if len(long) < len(short) {
				long, short = short, long
			}
			if len(short) == 0 || !isWithin(short, long) || slices.ContainsFunc(long, func(s string) bool { return slices.Contains(sides[origin], s) }) {
				return "", false
			}
			out, in = append(out, long...), -1
		case in >= 0:
			sides[in] = append(sides[in], line)
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, ""), true
}

// addedTwice reports whether a merged text has a line more often than each side because both sides added it.
func addedTwice(texts [3]string, merged string) bool {
	for line := range strings.Lines(merged) {
		u, l := strings.Count(texts[upstream], line), strings.Count(texts[local], line)
		if !strings.Contains(texts[origin], line) && u > 0 && l > 0 && strings.Count(merged, line) > max(u, l) {
			return true
		}
	}
	return false
}

// isWithin reports whether a text has all lines of another one, in their order.
func isWithin(short, long []string) bool {
	for _, line := range long {
		if len(short) > 0 && short[0] == line {
			short = short[1:]
		}
	}
	return len(short) == 0
}

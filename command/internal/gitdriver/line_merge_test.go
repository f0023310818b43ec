package gitdriver

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// TestLawCertain: a merge that is certain without git equals git's. The lines are of few kinds, so
// that the versions repeat many.
func TestLawCertain(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			if rapid.Bool().Draw(t, "common") {
				return rapid.SampledFrom([]string{"- name: a\n", "  value: b\n", "spec:\n", "\n"}).Draw(t, "line")
			}
			return fmt.Sprintf("line %d\n", rapid.IntRange(0, 40).Draw(t, "number"))
		})
		base := rapid.SliceOfN(line, 3, 30).Draw(t, "base")
		v := Versions{}
		v.Texts[marker.Base] = appendLines(nil, base)
		for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
			for i := 0; i <= len(base); i++ {
				switch rapid.IntRange(0, 20).Draw(t, "edit") {
				case 0: // gone
				case 1:
					v.Texts[side] = append(v.Texts[side], line.Draw(t, "instead")...)
				case 2:
					v.Texts[side] = append(v.Texts[side], line.Draw(t, "before")...)
					fallthrough
				default:
					v.Texts[side] = appendLines(v.Texts[side], base[i:min(i+1, len(base))])
				}
			}
		}
		if side := rapid.IntRange(0, 5).Draw(t, "without a line break"); side < 3 {
			v.Texts[side] = bytes.TrimSuffix(v.Texts[side], []byte("\n"))
		}
		text, certain := v.mergeCertainLines()
		if !certain {
			return
		}
		found++
		lines, conflicts, err := Git{}.MergeLines(context.Background(), v, marker.Format{Style: marker.Merge})
		switch {
		case err != nil:
			t.Fatal(err)
		case string(lines) != string(text):
			t.Fatalf("%d conflicts; git has\n%s\nand not\n%s", conflicts, lines, text)
		}
	})
	if found == 0 {
		t.Error("no merge was certain: the law says nothing")
	}
}

// TestRenamedStaysInTheText: the parser counts lines that the text lacks where it has other line breaks than \n.
func TestRenamedStaysInTheText(t *testing.T) {
	text := []byte("a: |\n  x\u2028  y\nold:\n  one: 1\n")
	for _, key := range []*yaml.Node{{Value: "old", Line: 9, Column: 1}, {Value: "old", Line: 3, Column: 40}, {Value: "old", Line: 4, Column: 1}} {
		if out, done := renamed(text, key, "new"); done {
			t.Errorf("line %d, column %d: got %q", key.Line, key.Column, out)
		}
	}
	if out, done := renamed(text, &yaml.Node{Value: "old", Line: 3, Column: 1}, "new"); !done || !bytes.Contains(out, []byte("\nnew:\n")) {
		t.Errorf("got %q", out)
	}
}

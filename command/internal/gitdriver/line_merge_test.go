package gitdriver

import (
	"bytes"
	"context"
	"fmt"
	"testing"

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

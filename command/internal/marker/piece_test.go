package marker_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// TestLawSmaller: trimming and splitting conflicts keeps the text of each side, and Parse reads
// what Render writes.
func TestLawSmaller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) []byte {
			var out []byte
			for _, line := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "  a", "b", "- c", "d"}), 0, 9).Draw(t, "lines") {
				out = append(out, line+"\n"...)
			}
			return out
		})
		var pieces marker.Pieces
		for range rapid.IntRange(1, 3).Draw(t, "conflicts") {
			pieces = append(pieces, marker.Piece{Same: []byte("=\n")}, marker.Piece{Conflict: true, Sides: [3][]byte{text.Draw(t, "ours"), text.Draw(t, "base"), text.Draw(t, "theirs")}})
		}
		_, was := pieces.Conflicts()
		format := marker.Format{Style: marker.Diff3, Labels: [3]string{"ours", "base", "theirs"}}
		for name, smaller := range map[string]marker.Pieces{"trimmed": pieces.Trimmed(), "split": pieces.Split(), "read": format.Parse(format.Render(pieces))} {
			for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
				take := func(int) marker.Side { return side }
				if want, got := string(pieces.Resolve(take)), string(smaller.Resolve(take)); want != got {
					t.Fatalf("%s: side %d is %q, want %q", name, side, got, want)
				}
			}
			if _, lines := smaller.Conflicts(); lines > was {
				t.Fatalf("%s: %d lines in conflict, were %d", name, lines, was)
			}
		}
	})
}

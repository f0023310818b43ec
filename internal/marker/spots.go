package marker

import "github.com/resource-merge/resource-merge/internal/manifest"

// spots are where one field or element stands on each side; nil where it is not.
type spots [3]*manifest.Spot

// texts are the texts of a resource by side.
type texts [3][]byte

// lines are a side's bytes between two places of its text, origin's moved to the column
// that the others have.
func (t texts) lines(side Side, s spots, from, to int) []byte {
	text := t[side][from:to]
	if side != Base {
		return text
	}
	for _, shown := range [2]Side{Ours, Theirs} {
		if s[shown] != nil {
			return shifted(text, s[shown].Column-s[Base].Column)
		}
	}
	return text
}

package marker

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// Lines lays two results of the merge of one text side by side: that where ours was
// taken of what collides, and that where theirs was. They differ in what collides and
// nowhere else. Base is not shown.
func Lines(ours, theirs []byte) (out Pieces) {
	a := slices.Collect(strings.Lines(string(whole(ours))))
	b := slices.Collect(strings.Lines(string(whole(theirs))))
	next := 0
	var own []string
	flush := func(to int) {
		out.conflict([]byte(strings.Join(own, "")), nil, []byte(strings.Join(b[next:to], "")))
		own, next = nil, to
	}
	for i, at := range align.Lines(a, b) {
		if at < 0 {
			own = append(own, a[i])
			continue
		}
		flush(at)
		out.same([]byte(a[i]))
		next = at + 1
	}
	flush(len(b))
	return out
}

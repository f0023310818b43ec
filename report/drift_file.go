package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// fileDifference says in what a file without resources differs from upstream's: how many
// lines each has that the other has not, or what else; path is "" if one alone is there.
func fileDifference(f *pkgmerge.FileChange) (path, upstream, local string, differs bool) {
	u, l := f.Versions[identity.Upstream], f.Result
	switch {
	case u == nil && l == nil || u != nil && l != nil && u.Mode == l.Mode && bytes.Equal(u.Data, l.Data):
		return "", "", "", false
	case u == nil:
		return "", "", hidden, true
	case l == nil:
		return "", hidden, "", true
	case u.Mode != l.Mode:
		return "mode", fmt.Sprintf("%o", u.Mode), fmt.Sprintf("%o", l.Mode), true
	}
	upstream, local = ownLines(u, l)
	return "text", upstream, local, true
}

// ownLines says of two files how many lines each alone has.
func ownLines(a, b *pkgmerge.File) (ofA, ofB string) {
	if bytes.IndexByte(a.Data, 0) >= 0 || bytes.IndexByte(b.Data, 0) >= 0 {
		return wording.Plural(len(a.Data), "byte"), wording.Plural(len(b.Data), "byte")
	}
	x, y := strings.SplitAfter(string(a.Data), "\n"), strings.SplitAfter(string(b.Data), "\n")
	common := 0
	for _, at := range align.Lines(x, y) {
		if at >= 0 {
			common++
		}
	}
	return wording.Plural(len(x)-common, "line"), wording.Plural(len(y)-common, "line")
}

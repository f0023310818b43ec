package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// fileDrift is the drift of a file without resources: how many lines each side has that
// the other has not, or what else differs.
func (r *Resource) fileDrift() []Drift {
	u, l := r.file.Versions[identity.Upstream], r.file.Result
	d := Drift{File: r.File, Resource: r.Subject}
	switch {
	case u == nil && l == nil || u != nil && l != nil && u.Mode == l.Mode && bytes.Equal(u.Data, l.Data):
		return nil
	case u == nil:
		d.Local = hidden
	case l == nil:
		d.Upstream = hidden
	case u.Mode != l.Mode:
		d.Path, d.Upstream, d.Local = "mode", fmt.Sprintf("%o", u.Mode), fmt.Sprintf("%o", l.Mode)
	default:
		d.Path = "text"
		d.Upstream, d.Local = ownLines(u, l)
	}
	return []Drift{d}
}

// ownLines says of two files how many lines each alone has.
func ownLines(a, b *pkgmerge.File) (ofA, ofB string) {
	if !utf8.Valid(a.Data) || !utf8.Valid(b.Data) {
		return wording.Plural(len(a.Data), "byte"), wording.Plural(len(b.Data), "byte")
	}
	x, y := strings.SplitAfter(string(a.Data), "\n"), strings.SplitAfter(string(b.Data), "\n")
	common := 0
	for _, at := range merge.AlignLines(x, y) {
		if at >= 0 {
			common++
		}
	}
	return wording.Plural(len(x)-common, "line"), wording.Plural(len(y)-common, "line")
}

package gitdiff

import (
	"bytes"
	"cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// change is what became of a file: from is nil of one that is new, and to of one that
// is gone. A file that was renamed has both, with different names.
type change struct {
	from, to   *pkgmerge.File
	similarity int // of a file that was renamed, in percent
}

// newest is the version of the file that there is.
func (c change) newest() *pkgmerge.File { return cmp.Or(c.to, c.from) }

// isBinary reports whether a version of the file is binary.
func (c change) isBinary() bool {
	return c.from != nil && bytes.IndexByte(c.from.Data, 0) >= 0 || c.to != nil && bytes.IndexByte(c.to.Data, 0) >= 0
}

package gitdiff

import (
	"crypto/sha1" // #nosec G505 -- git names blobs by it, and nothing is trusted because of it
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// mode is the mode of a file as git writes it.
func mode(f pkgmerge.File) string {
	switch {
	case isLink(f):
		return "120000"
	case f.Mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

func isLink(f pkgmerge.File) bool { return f.Mode&fs.ModeSymlink != 0 }

// hash is the name of a file's contents in git.
func hash(f *pkgmerge.File) string {
	if f == nil {
		return hex.EncodeToString(make([]byte, sha1.Size))
	}
	h := sha1.New() // #nosec G401 -- as above
	fmt.Fprintf(h, "blob %d\x00", len(f.Data))
	h.Write(f.Data)
	return hex.EncodeToString(h.Sum(nil))
}

// abbreviated is how many digits of a hash git shows.
const abbreviated = 7

// linesOf are the lines of a file, with their ends; the last one may have none.
func linesOf(f *pkgmerge.File) []string {
	if f == nil || len(f.Data) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

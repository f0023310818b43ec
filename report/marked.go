package report

import (
	"bytes"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// bothMarked is how a conflict ended that stands in its file.
const bothMarked = "both stand in the file, between markers"

// mergedFiles are the data of the files of a merged package, by name; none of a package
// without files.
type mergedFiles map[string][]byte

func newMergedFiles(merged *pkgmerge.Result) mergedFiles {
	data := mergedFiles{}
	files, err := merged.Files()
	if err != nil { // there are none
		return data
	}
	for _, f := range files {
		data[f.Name] = f.Data
	}
	return data
}

// hasMarkers reports whether a file has conflict markers (design 18).
func (m mergedFiles) hasMarkers(name string) bool {
	marker := []byte("<<<<<<< ")
	return bytes.HasPrefix(m[name], marker) || bytes.Contains(m[name], append([]byte("\n"), marker...))
}

// marks reports whether a resource's conflict stands in its file.
func (m mergedFiles) marks(c *pkgmerge.Change, conflict merge.Conflict) bool {
	return c.Marks(conflict) && m.hasMarkers(c.File())
}

// marksIn is marks for a file without resources.
func (m mergedFiles) marksIn(f *pkgmerge.FileChange) bool { return f.Marks() && m.hasMarkers(f.Name) }

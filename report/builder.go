package report

import (
	"path"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Options say where things are.
type Options struct {
	// Prefix is put before the names of files: where local's package lies in its
	// repository.
	Prefix string
	// Place finds a field in the merged package: its file, and its line from 1, 0 if
	// that is unknown. nil is that of the result.
	Place func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// Warnings are the caller's, about what the merge does not know.
	Warnings []string
}

// builder makes the parts of a report.
type builder struct {
	options Options
	failed  bool
	applies bool
	files   mergedFiles
}

// at is where a field stands.
func (b builder) at(c *pkgmerge.Change, p *merge.Path) (file string, line int) {
	if b.options.Place != nil && !b.failed {
		file, line = b.options.Place(c, p)
	}
	if file == "" {
		file, line = c.File(), 0
	}
	return b.named(file), line
}

// named is a file's name as the report has it.
func (b builder) named(file string) string {
	if file == "" {
		return ""
	}
	return visible(path.Join(b.options.Prefix, file))
}

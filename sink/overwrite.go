package sink

import (
	"context"

	"github.com/resource-merge/resource-merge/internal/journal"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Overwrite is the directory that local was read from, and that is to have the
// merged package (design 17.2). All files are replaced or none; a file that the
// merge did not change is not touched. A directory whose files are no longer those
// that were read is refused.
type Overwrite struct {
	// Dir is the directory. A relative one is relative to the process.
	Dir string
	// Read are the files of local's package as they were read. The merge's packages
	// were made of files: see pkgmerge.NewPackage.
	Read []pkgmerge.File
}

// Write writes the merged package. An error says that nothing was written, or that
// Recover must put the directory in order. A process that is killed in the middle
// leaves that to Recover too, or to the next Write.
func (o Overwrite) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := filesOf(o.Dir, result)
	if err != nil {
		return err
	}
	return journal.Replace(ctx, o.Dir, o.Read, files)
}

// Recover takes back what a killed Overwrite has left in a directory, and reports
// whether there was anything to take back. It must come before the directory is
// read. If somebody has changed one of the files in question since, it changes
// nothing and says which file that is.
func Recover(dir string) (bool, error) { return journal.Recover(dir) }

// Pending reports whether a killed Overwrite has left something that Recover takes back. It
// changes nothing.
func Pending(dir string) (bool, error) { return journal.Pending(dir) }

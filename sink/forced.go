package sink

import (
	"context"
	"os"

	"github.com/resource-merge/resource-merge/internal/journal"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// ForcedDir is a Dir that may have files already. Those with a name of the merged
// package are replaced, all or none as Overwrite does it, and the others stay.
type ForcedDir string

// Write writes the merged package.
func (d ForcedDir) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := anyFiles(string(d), result)
	if err != nil {
		return err
	}
	return d.WriteFiles(ctx, files)
}

// WriteFiles writes files into the directory as Write does those of a result. Files that
// are gone are removed from it.
func (d ForcedDir) WriteFiles(ctx context.Context, files []pkgmerge.File, gone ...string) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	return journal.Put(ctx, string(d), files, gone...)
}

package source

import (
	"context"
	"os"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Dir is a directory of the file system, with its subdirectories, read as FS reads it.
// A relative Dir is relative to the process. Nothing outside of the directory is read.
type Dir string

// Read reads the directory.
func (d Dir) Read(ctx context.Context) (pkgmerge.Package, error) {
	return d.read(ctx, pkgmerge.Package{})
}

// read is Read where another version of the package is known.
func (d Dir) read(ctx context.Context, other pkgmerge.Package) (pkgmerge.Package, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	defer root.Close()
	return readFS(ctx, root.FS(), string(d), other)
}

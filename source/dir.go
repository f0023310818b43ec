package source

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

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
	return readFS(ctx, anyNames{root}, string(d), other)
}

// anyNames is a directory as io/fs has it, but for its names, which may be no UTF-8: a file
// system knows only bytes.
type anyNames struct{ root *os.Root }

// Open opens a file or directory.
func (a anyNames) Open(name string) (fs.File, error) { return a.root.Open(filepath.FromSlash(name)) }

// Lstat describes a file without following a link.
func (a anyNames) Lstat(name string) (fs.FileInfo, error) {
	return a.root.Lstat(filepath.FromSlash(name))
}

// ReadLink reads the target of a symbolic link.
func (a anyNames) ReadLink(name string) (string, error) {
	return a.root.Readlink(filepath.FromSlash(name))
}

package sink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/journal"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Dir is a directory of the file system that is to have the merged package. It must
// not be there yet, or be empty: a file of an older package would stay among the
// new ones. The files are those of the result, byte for byte; of a result that was not
// made of files, each resource is in its file, in the order of the indices.
type Dir string

// ErrNotEmpty is the error of a directory that has files already.
var ErrNotEmpty = errors.New("the directory is not empty")

// Write writes the merged package. It writes nothing if a conflict of the result is
// to fail the run, if a resource has no file or one outside of the directory, or if
// there is anything in the directory; after an error there is nothing in it again. A symbolic link is made as it is, wherever it
// leads, and nothing is written through it.
func (d Dir) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := anyFiles(string(d), result)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.write(ctx, files)
}

// write writes the files into the directory, and never outside of it. The end of the context
// between two files is an error.
func (d Dir) write(ctx context.Context, files []pkgmerge.File) error {
	for _, f := range files {
		if err := journal.CheckName(f.Name); err != nil {
			return fmt.Errorf("write %s: %w", d, err)
		}
	}
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	if there, err := fs.ReadDir(root.FS(), "."); err != nil || len(there) > 0 {
		return cmp.Or(err, fmt.Errorf("write %s: %w", d, ErrNotEmpty))
	}
	for _, f := range files {
		err := ctx.Err()
		if err == nil {
			err = writeFile(root, f)
		}
		if err != nil {
			empty(root, files)
			return fmt.Errorf("write %s: %w", d, err)
		}
	}
	return nil
}

// empty removes what was written into a directory that was empty.
func empty(root *os.Root, files []pkgmerge.File) {
	for _, f := range files {
		top, _, _ := strings.Cut(f.Name, "/")
		_ = root.RemoveAll(top)
	}
}

// writeFile makes a file below a directory.
func writeFile(root *os.Root, f pkgmerge.File) error {
	name := filepath.FromSlash(f.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if f.Mode&fs.ModeSymlink != 0 {
		return root.Symlink(string(f.Data), name)
	}
	return root.WriteFile(name, f.Data, f.Mode.Perm())
}

// WriteFiles writes files into the directory as Write does those of a result.
func (d Dir) WriteFiles(ctx context.Context, files []pkgmerge.File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.write(ctx, files)
}

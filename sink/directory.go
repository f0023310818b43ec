package sink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink/internal/journal"
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

// Overwrite is the directory that local was read from, and that is to have the merged
// package (rules/files: writing over a directory). All files are replaced or none; a
// file that the merge did not change is not touched. A directory whose files are no
// longer those that were read is refused.
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

// filesOf are the files of a result that may be written to a directory: one that no
// conflict is to fail.
func filesOf(dir string, result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if err := Check(dir, result); err != nil {
		return nil, err
	}
	files, err := result.Files()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return files, nil
}

// Check returns an error about a result with a conflict that is to fail the run. name is where
// the result was to go. Every sink checks it before it writes.
func Check(name string, result *pkgmerge.Result) error {
	if failing := result.FirstFailing(); failing != "" {
		return fmt.Errorf("write %s: the merge has conflicts that are to fail it, first in %s", name, failing)
	}
	return nil
}

// anyFiles is filesOf for results that were not made of files too: then each resource
// is in its file, in the order of the indices.
func anyFiles(dir string, result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if _, err := result.Files(); err == nil {
		return filesOf(dir, result)
	}
	if err := Check(dir, result); err != nil {
		return nil, err
	}
	files, err := texts(result.Package())
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return files, nil
}

// texts are the files of a package, sorted by name.
func texts(p pkgmerge.Package) ([]pkgmerge.File, error) {
	resources := slices.Clone(p.Resources)
	slices.SortStableFunc(resources, func(a, b *pkgmerge.Resource) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
	})
	var files []pkgmerge.File
	for _, r := range resources {
		if !filepath.IsLocal(r.File) || r.File != path.Clean(r.File) {
			return nil, fmt.Errorf("%s: its file %q is none below the directory", r, r.File)
		}
		text, err := r.YAML()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 || files[len(files)-1].Name != r.File {
			files = append(files, pkgmerge.File{Name: r.File, Mode: 0o644})
		}
		last := &files[len(files)-1]
		if len(last.Data) > 0 {
			last.Data = append(last.Data, "---\n"...)
		}
		last.Data = append(last.Data, text...)
	}
	return files, nil
}

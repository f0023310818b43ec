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

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink/internal/journal"
)

// Dir writes the merged package into a new or empty directory, where no file of an older package can
// stay among the new ones. The files are the result's, byte for byte; if the result was not made of
// files, each resource goes to its file in the order of the indices.
type Dir string

// ErrNotEmpty is the error of a Dir that has files already.
var ErrNotEmpty = errors.New("the directory is not empty")

// Write writes the merged package. It writes nothing if a conflict fails the run, if a resource has no
// file below the directory, or if the directory is not empty; after an error the directory is empty
// again, and so it is after a killed process, once Recover or the next Write ran. A symbolic link is made as it is, and nothing is written through it.
func (d Dir) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := anyFiles(string(d), result)
	if err != nil {
		return err
	}
	return d.WriteFiles(ctx, files)
}

// WriteFiles writes files into the directory like Write. An end of the context between two files is an error.
func (d Dir) WriteFiles(ctx context.Context, files []pkgmerge.File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkNames(files); err != nil {
		return fmt.Errorf("write %s: %w", d, err)
	}
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	if _, err := journal.Recover(string(d)); err != nil {
		return err
	}
	if there, err := os.ReadDir(string(d)); err != nil || len(there) > 0 {
		return cmp.Or(err, fmt.Errorf("write %s: %w", d, ErrNotEmpty))
	}
	return journal.Put(ctx, string(d), files)
}

// checkNames returns an error for a name that leads out of the directory.
func checkNames(files []pkgmerge.File) error {
	for _, f := range files {
		if err := journal.CheckName(f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Overwrite writes the merged package over local's directory (rules/files: writing over a directory).
// All files are replaced or none, and files that the merge did not change are not touched. It is an
// error if the files changed since they were read.
type Overwrite struct {
	Dir string
	// Read are the files of local's package as they were read; the merged packages need files, too: see
	// pkgmerge.NewPackage.
	Read []pkgmerge.File
}

// Write writes the merged package. After an error nothing was written, or the error asks for Recover.
// After a killed process, Recover or the next Write restores the directory.
func (o Overwrite) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := filesOf(o.Dir, result)
	if err != nil {
		return err
	}
	return o.WriteFiles(ctx, files)
}

// WriteFiles writes files over the ones that were read, like Write.
func (o Overwrite) WriteFiles(ctx context.Context, files []pkgmerge.File) error {
	return journal.Replace(ctx, o.Dir, o.Read, files)
}

// ReplaceFile replaces a file below a directory, which was described as old before it was read: as a whole, or not at all.
// A changed file, a symbolic link and a file that its owner may not write are errors. Recover removes what a killed
// process leaves, and so does the next run that writes to the directory.
func ReplaceFile(dir string, f pkgmerge.File, old fs.FileInfo) error {
	return journal.ReplaceFile(dir, f, old)
}

// Recover reverts a killed Overwrite in a directory, and reports whether there was one. It must run
// before the directory is read. If somebody changed one of the files since, Recover changes nothing and
// returns an error that names the file.
func Recover(dir string) (bool, error) { return journal.Recover(dir) }

// Pending reports whether Recover has a killed Overwrite to revert. It changes nothing.
func Pending(dir string) (bool, error) { return journal.Pending(dir) }

// ForcedDir is a Dir that may have files already. Like Overwrite it replaces all files of the merged
// package or none; other files stay.
type ForcedDir string

// Write writes the merged package.
func (d ForcedDir) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := anyFiles(string(d), result)
	if err != nil {
		return err
	}
	return d.WriteFiles(ctx, files)
}

// WriteFiles writes files into the directory like Write, and removes others.
func (d ForcedDir) WriteFiles(ctx context.Context, files []pkgmerge.File, removed ...string) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	return journal.Put(ctx, string(d), files, removed...)
}

// filesOf returns the files of a result, unless a conflict fails the run.
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

// Check returns an error if a conflict of the result fails the run; name is the destination. Every sink
// calls it before it writes.
func Check(name string, result *pkgmerge.Result) error {
	if failing := result.FirstFailing(); failing != "" {
		return fmt.Errorf("write %s: the merge has conflicts that fail it, first in %s", name, failing)
	}
	return nil
}

// anyFiles is filesOf also for results that were not made of files: each resource is in its file, in
// the order of the indices.
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

// texts returns the files of a package, sorted by name.
func texts(p pkgmerge.Package) ([]pkgmerge.File, error) {
	var files []pkgmerge.File
	for _, r := range sorted(p.Resources) {
		if !filepath.IsLocal(r.File) || r.File != path.Clean(r.File) {
			return nil, fmt.Errorf("%s: its file %q is not below the directory", r, r.File)
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

// sorted returns resources in the order of their files and of their places in these.
func sorted(resources []*pkgmerge.Resource) []*pkgmerge.Resource {
	resources = slices.Clone(resources)
	slices.SortStableFunc(resources, func(a, b *pkgmerge.Resource) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
	})
	return resources
}

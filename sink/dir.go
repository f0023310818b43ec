package sink

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Dir is a directory of the file system that is to have the merged package. It must
// not be there yet, or be empty: a file of an older package would stay among the
// new ones. Each resource is in its file, in the order of the indices. Files that
// hold no resources, such as a README, are not written.
type Dir string

// Write writes the merged package. It writes nothing if a conflict of the result is
// to fail the run, if a resource has no file or one outside of the directory, or if
// there is anything in the directory.
func (d Dir) Write(ctx context.Context, result *pkgmerge.Result) error {
	if failing := result.Failing(); len(failing) > 0 {
		return fmt.Errorf("write %s: the merge has conflicts that are to fail it, first in %s", d, failing[0].Newest())
	}
	files, err := texts(result.Package())
	if err != nil {
		return fmt.Errorf("write %s: %w", d, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.write(files)
}

// file is a file that is to be written.
type file struct {
	name string // below the directory, with slashes
	text []byte
}

// texts are the files of a package, sorted by name.
func texts(p pkgmerge.Package) ([]file, error) {
	resources := slices.Clone(p.Resources)
	slices.SortStableFunc(resources, func(a, b *pkgmerge.Resource) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
	})
	var files []file
	for _, r := range resources {
		if !filepath.IsLocal(r.File) || r.File != path.Clean(r.File) {
			return nil, fmt.Errorf("%s: its file %q is none below the directory", r, r.File)
		}
		text, err := r.YAML()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 || files[len(files)-1].name != r.File {
			files = append(files, file{name: r.File})
		}
		last := &files[len(files)-1]
		if len(last.text) > 0 {
			last.text = append(last.text, "---\n"...)
		}
		last.text = append(last.text, text...)
	}
	return files, nil
}

// write writes the files into the directory, and never outside of it.
func (d Dir) write(files []file) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	if there, err := fs.ReadDir(root.FS(), "."); err != nil || len(there) > 0 {
		return cmp.Or(err, fmt.Errorf("write %s: the directory is not empty", d))
	}
	for _, f := range files {
		name := filepath.FromSlash(f.name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

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
// new ones. The files are those of the result, byte for byte; of a result that was not
// made of files, each resource is in its file, in the order of the indices.
type Dir string

// Write writes the merged package. It writes nothing if a conflict of the result is
// to fail the run, if a resource has no file or one outside of the directory, or if
// there is anything in the directory. A symbolic link is made as it is, wherever it
// leads, and nothing is written through it.
func (d Dir) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := d.files(result)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.write(files)
}

// files are what is to be written.
func (d Dir) files(result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if result.HasFiles() {
		return filesOf(string(d), result)
	}
	if err := checkFailing(string(d), result); err != nil {
		return nil, err
	}
	files, err := texts(result.Package())
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", d, err)
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

// write writes the files into the directory, and never outside of it.
func (d Dir) write(files []pkgmerge.File) error {
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
		if err := writeFile(root, f); err != nil {
			return fmt.Errorf("write %s: %w", d, err)
		}
	}
	return nil
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

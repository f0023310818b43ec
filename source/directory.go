package source

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Dir is a directory of the file system with its subdirectories, read like an FS. Nothing outside of
// the directory is read.
type Dir string

// Read reads the directory.
func (d Dir) Read(ctx context.Context) (pkgmerge.Package, error) {
	return d.read(ctx, pkgmerge.Package{}, nil)
}

// nested returns the names in the directory of the sources that lie in it.
func (d Dir) nested(sources [3]Source) []string {
	var names []string
	for _, s := range sources {
		var where string
		switch s := s.(type) {
		case Dir:
			where = string(s)
		case File:
			where = string(s)
		default:
			continue
		}
		if name, err := filepath.Rel(realPath(string(d)), realPath(where)); err == nil && name != "." && filepath.IsLocal(name) {
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names
}

// realPath returns the absolute path of a file without symbolic links, or the path itself.
func realPath(name string) string {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		return real
	}
	return absolute
}

// read is Read without some files and directories, and with another version, with which equal files are shared.
func (d Dir) read(ctx context.Context, other pkgmerge.Package, without []string) (pkgmerge.Package, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	defer root.Close()
	return readFS(ctx, file.Below{Root: root}, string(d), other, without)
}

// FS is a directory of io/fs, such as an embedded one, with its subdirectories but without git's own
// files and the files that a .krmignore names (rules/files: reading a directory). A symbolic link is a
// file with its target as its content, for which the FS must be an fs.ReadLinkFS.
type FS struct{ fs.FS }

// Read reads the directory.
func (f FS) Read(ctx context.Context) (pkgmerge.Package, error) {
	return readFS(ctx, f.FS, "", pkgmerge.Package{}, nil)
}

// readFS reads a directory, which errors call by a name, without some files and directories. Files that
// are equal in another version of the package are parsed once.
func readFS(ctx context.Context, from fs.FS, name string, other pkgmerge.Package, without []string) (pkgmerge.Package, error) {
	files, err := listFS(ctx, from, without)
	if err == nil {
		same := namesakes(files, other.Files)
		rooms := sync.Pool{New: func() any { return new([]byte) }}
		err = parallel.Each(len(files), func(i int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if same[i] == nil {
				return readFile(from, &files[i], nil)
			}
			room := rooms.Get().(*[]byte)
			defer rooms.Put(room)
			return readAgain(from, &files[i], same[i].Data, room)
		})
	}
	p := pkgmerge.Package{}
	if err == nil {
		p, err = pkgmerge.NewVersion(files, other)
	}
	if err != nil && ctx.Err() == nil && name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	p.Source = name
	return p, err
}

// namesakes sorts files, and returns the files of these names in another version, which are sorted, too; nil where there is none.
func namesakes(files, other []pkgmerge.File) []*pkgmerge.File {
	slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	same := make([]*pkgmerge.File, len(files))
	at := 0
	for i, f := range files {
		for at < len(other) && other[at].Name < f.Name {
			at++
		}
		if at < len(other) && other[at].Name == f.Name {
			same[i] = &other[at]
		}
	}
	return same
}

// listFS lists the files of a directory, without their data, and without some files and directories.
func listFS(ctx context.Context, from fs.FS, without []string) (files []pkgmerge.File, err error) {
	ignored := file.NewIgnorer(from)
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
		case slices.Contains(without, name) || ignored.Ignores(name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case d.Type() != 0 && d.Type() != fs.ModeSymlink:
			return fmt.Errorf("%s is not a regular file", name)
		default:
			files = append(files, pkgmerge.File{Name: name, Mode: d.Type()})
		}
		return nil
	})
	return files, cmp.Or(err, ignored.Err())
}

// fileMode returns the mode of a regular file in a package, in which only the executable bit counts.
func fileMode(info fs.FileInfo) fs.FileMode {
	if info.Mode()&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// readAgain is readFile for a file that another version has, too: if it has the same bytes there, it shares them. room is memory
// that one file at a time is read into.
func readAgain(from fs.FS, f *pkgmerge.File, same []byte, room *[]byte) error {
	if err := readFile(from, f, *room); err != nil {
		return err
	}
	if *room = f.Data; bytes.Equal(f.Data, same) {
		f.Data = same
	} else {
		f.Data = bytes.Clone(f.Data)
	}
	return nil
}

// readFile reads a file that was listed, into room if it is large enough.
func readFile(from fs.FS, f *pkgmerge.File, room []byte) error {
	if f.Mode == fs.ModeSymlink {
		target, err := fs.ReadLink(from, f.Name)
		f.Data = []byte(target)
		return err
	}
	opened, err := from.Open(f.Name)
	if err != nil {
		return err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file any more", f.Name)
	}
	f.Mode = fileMode(info)
	f.Data, err = file.ReadWhole(opened, info, room)
	return err
}

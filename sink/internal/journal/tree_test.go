package journal

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

func file(name, data string) pkgmerge.File {
	return pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(data)}
}

func script(name, data string) pkgmerge.File {
	return pkgmerge.File{Name: name, Mode: 0o755, Data: []byte(data)}
}

func link(name, target string) pkgmerge.File {
	return pkgmerge.File{Name: name, Mode: fs.ModeSymlink, Data: []byte(target)}
}

// directoryOf makes a directory of files.
func directoryOf(t testing.TB, files ...pkgmerge.File) string {
	t.Helper()
	dir, err := os.MkdirTemp(fast(), "journal")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(dir) })
	put(t, dir, files...)
	return dir
}

// removeAll removes a directory, including read-only ones in it.
func removeAll(dir string) {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o755)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// fast returns a directory in memory if there is one: on a disk the tests would spend most of their
// time flushing.
func fast() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// put writes files.
func put(t testing.TB, dir string, files ...pkgmerge.File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if f.Mode&fs.ModeSymlink != 0 {
			if err := os.Symlink(string(f.Data), name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(name, f.Data, f.Mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
}

// tree has the mode and contents of each name in a directory.
type tree map[string]string

func treeOf(t testing.TB, dir string) tree {
	t.Helper()
	found := tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += " " + string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			text = "-> " + target
		}
		below, err := filepath.Rel(dir, name)
		found[filepath.ToSlash(below)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// names are the names of a tree, for messages.
func (tr tree) names() string { return strings.Join(slices.Sorted(maps.Keys(tr)), " ") }

func mustReplace(t testing.TB, dir string, before, after []pkgmerge.File) {
	t.Helper()
	if err := Replace(context.Background(), dir, before, after); err != nil {
		t.Fatal(err)
	}
}

func wantTree(t testing.TB, dir string, want tree) {
	t.Helper()
	if diff := cmp.Diff(want, treeOf(t, dir)); diff != "" {
		t.Errorf("the directory is not what it should be (-want +got):\n%s", diff)
	}
}

// upgrade changes everything that can change: contents, modes, links, and files and directories
// that are added, removed, or become one another.
func upgrade() (before, after []pkgmerge.File) {
	before = []pkgmerge.File{
		file("kept.yaml", "a: 1\n"),
		file("changed.yaml", "a: 1\n"),
		file("sub/changed.yaml", strings.Repeat("b: 1\n", 1000)),
		file("sub/deep/gone.yaml", "c: 1\n"),
		file("sub/deep/er/gone.yaml", "c: 2\n"),
		file("becomes-script", "echo\n"),
		script("becomes-file", "echo\n"),
		link("link", "kept.yaml"),
		link("link-goes", "nowhere"),
		link("link-becomes-file", "kept.yaml"),
		file("file-becomes-link", "a: 1\n"),
		file("file-becomes-directory", "a: 1\n"),
		file("directory-becomes-file/a.yaml", "a: 1\n"),
		file("directory-becomes-file/b/c.yaml", "a: 1\n"),
		file("odd \xff\n\"name", "a: 1\n"),
	}
	after = []pkgmerge.File{
		file("kept.yaml", "a: 1\n"),
		file("changed.yaml", "a: 2\n"),
		file("sub/changed.yaml", strings.Repeat("b: 2\n", 1000)),
		file("new/deep/new.yaml", "d: 1\n"),
		file("sub/new.yaml", "d: 2\n"),
		script("new.sh", "echo\n"),
		script("becomes-script", "echo\n"),
		file("becomes-file", "echo\n"),
		link("link", "changed.yaml"),
		link("new-link", "/nowhere"),
		file("link-becomes-file", "a: 1\n"),
		link("file-becomes-link", "kept.yaml"),
		file("file-becomes-directory/a.yaml", "a: 1\n"),
		file("file-becomes-directory/b/c.yaml", "a: 1\n"),
		file("directory-becomes-file", "a: 1\n"),
		file("odd \xff\n\"name", "a: 2\n"),
	}
	return before, after
}

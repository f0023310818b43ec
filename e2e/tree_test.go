package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is the files of a directory: paths with slashes, and the bytes.
// Directories without files do not count, as in git; kpt leaves such behind.
type tree map[string]string

func readTree(t *testing.T, dir string) tree {
	t.Helper()
	files := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, relErr := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		if err != nil {
			return err
		}
		return relErr
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%s has no files", dir)
	}
	return files
}

// write makes a new directory that has the files.
func (files tree) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	for path, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// below is the files below some directories at the top.
func (files tree) below(dirs ...string) tree {
	some := tree{}
	for path, text := range files {
		for _, dir := range dirs {
			if strings.HasPrefix(path, dir+"/") {
				some[path] = text
			}
		}
	}
	return some
}

// without is the files that are not below some directories at the top.
func (files tree) without(dirs ...string) tree {
	gone := files.below(dirs...)
	rest := tree{}
	for path, text := range files {
		if _, ok := gone[path]; !ok {
			rest[path] = text
		}
	}
	return rest
}

// in is the files of a directory at the top, as a tree of its own.
func (files tree) in(dir string) tree {
	inside := tree{}
	for path, text := range files.below(dir) {
		inside[strings.TrimPrefix(path, dir+"/")] = text
	}
	return inside
}

// under is the same files, in a directory.
func (files tree) under(dir string) tree {
	moved := tree{}
	for path, text := range files {
		moved[dir+"/"+path] = text
	}
	return moved
}

// and is the files of both trees.
func (files tree) and(others tree) tree {
	all := tree{}
	for _, some := range []tree{files, others} {
		for path, text := range some {
			all[path] = text
		}
	}
	return all
}

// check compares the files in dir with the wanted ones, byte for byte, but for those
// below some directories at the top.
func (files tree) check(t *testing.T, dir string, without ...string) {
	t.Helper()
	if diff := cmp.Diff(files, readTree(t, dir).without(without...)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", filepath.Base(dir), diff)
	}
}

// packageOf is the package of a case, as its maintainer has it before a run.
func packageOf(t *testing.T, name string) tree {
	t.Helper()
	return readTree(t, filepath.Join("testdata", name, "package"))
}

// expectedOf returns the files that the maintainer of a case's package wants afterwards.
func expectedOf(t *testing.T, name string) tree {
	t.Helper()
	return readTree(t, filepath.Join("testdata", name, "expected"))
}

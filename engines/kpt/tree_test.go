package kpt

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree is a directory: texts by the names of their files.
type tree map[string]string

// write writes the files into a new directory; nil is one that is not there.
func (t tree) write(test *testing.T) string {
	test.Helper()
	dir := filepath.Join(test.TempDir(), "pkg")
	if t == nil {
		return dir
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		test.Fatal(err)
	}
	for name, text := range t {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			test.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			test.Fatal(err)
		}
	}
	return dir
}

// check compares the files with a directory's.
func (t tree) check(test *testing.T, dir string) {
	test.Helper()
	got := tree{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		got[name] = string(text)
		return err
	})
	if err != nil {
		test.Fatal(err)
	}
	names := slices.Concat(slices.Collect(maps.Keys(t)), slices.Collect(maps.Keys(got)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		want, wanted := t[name]
		text, found := got[name]
		switch {
		case !wanted:
			test.Errorf("%s is there:\n%s", name, text)
		case !found:
			test.Errorf("%s is not there", name)
		case text != want:
			test.Errorf("%s is\n%s\nand not\n%s", name, text, want)
		}
	}
}

// and returns the files with others replacing the ones of their names; "" removes a file.
func (t tree) and(others tree) tree {
	all := maps.Clone(t)
	for name, text := range others {
		if all[name] = text; text == "" {
			delete(all, name)
		}
	}
	return all
}

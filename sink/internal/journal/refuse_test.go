package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestReplaceRefuses: Replace writes nothing if the directory changed since it was read, or cannot
// be written.
func TestReplaceRefuses(t *testing.T) {
	outside := directoryOf(t, file("x.yaml", "outside\n"), file("a.yaml", "a: 1\n"))
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	var (
		x     = file("x.yaml", "x: 1\n")
		a     = file("sub/a.yaml", "a: 1\n")
		a2    = file("sub/a.yaml", "a: 2\n")
		other = file("sub/other.yaml", "o: 1\n")
	)
	for _, c := range []struct {
		name          string
		before, after []pkgmerge.File
		meanwhile     func(dir string) error
		want          string
	}{
		{"a file that was changed", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.WriteFile(at(dir, "sub/a.yaml"), []byte("a: 3\n"), 0o644) }, "sub/a.yaml was changed since"},
		{"a file that stays and was changed", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.WriteFile(at(dir, "x.yaml"), []byte("a: 3\n"), 0o644) }, "x.yaml was changed since"},
		{"a file that goes and was changed", []pkgmerge.File{a, x}, []pkgmerge.File{x},
			func(dir string) error { return os.WriteFile(at(dir, "sub/a.yaml"), []byte("a: 3\n"), 0o644) }, "sub/a.yaml was changed since"},
		{"a mode that was changed", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Chmod(at(dir, "sub/a.yaml"), 0o755) }, "sub/a.yaml was changed since"},
		{"a file that was removed", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Remove(at(dir, "sub/a.yaml")) }, "sub/a.yaml was removed since"},
		{"a file that stays and was removed", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Remove(at(dir, "x.yaml")) }, "x.yaml was changed since"},
		{"a file that came", []pkgmerge.File{a}, []pkgmerge.File{a, x},
			func(dir string) error { return os.WriteFile(at(dir, "x.yaml"), nil, 0o644) }, "x.yaml was added since"},
		{"a file that became a link", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error {
				return errors.Join(os.Remove(at(dir, "sub/a.yaml")), os.Symlink(at(outside, "a.yaml"), at(dir, "sub/a.yaml")))
			}, "sub/a.yaml was changed since"},
		{"a directory that became a link outside", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error {
				return errors.Join(os.RemoveAll(at(dir, "sub")), os.Symlink(outside, at(dir, "sub")))
			},
			"sub/a.yaml: a directory above it is a symbolic link"},
		{"a directory that became a link inside", []pkgmerge.File{a, other, file("twin/a.yaml", "a: 1\n")}, []pkgmerge.File{a2, other, file("twin/a.yaml", "a: 1\n")},
			func(dir string) error {
				return errors.Join(os.RemoveAll(at(dir, "sub")), os.Symlink("twin", at(dir, "sub")))
			},
			"a directory above it is a symbolic link"},
		{"a new file below a link", []pkgmerge.File{x}, []pkgmerge.File{x, a},
			func(dir string) error { return os.Symlink(outside, at(dir, "sub")) }, "sub/a.yaml: a directory above it is a symbolic link"},
		{"a new file below a file", []pkgmerge.File{x}, []pkgmerge.File{x, a},
			func(dir string) error { return os.WriteFile(at(dir, "sub"), nil, 0o644) }, "because sub is not a directory"},
		{"a read-only file", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Chmod(at(dir, "sub/a.yaml"), 0o444) }, "sub/a.yaml is read-only"},
		{"a read-only file that goes", []pkgmerge.File{a, x}, []pkgmerge.File{x},
			func(dir string) error { return os.Chmod(at(dir, "sub/a.yaml"), 0o444) }, "sub/a.yaml is read-only"},
		{"a read-only directory", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Chmod(at(dir, "sub"), 0o555) }, "the directory sub is read-only"},
		{"a read-only top", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Chmod(dir, 0o555) }, "the directory . is read-only"},
		{"a directory with other files that is to be a file", []pkgmerge.File{a}, []pkgmerge.File{file("sub", "a: 1\n")},
			func(dir string) error { return os.WriteFile(at(dir, "sub/mine.txt"), nil, 0o644) }, "sub cannot become a file, because it has sub/mine.txt"},
		{"a journal's directory that is a link", []pkgmerge.File{a, x}, []pkgmerge.File{a2, x},
			func(dir string) error { return os.Symlink(outside, at(dir, Dir)) }, Dir + " is not a directory"},
		{"a name above", []pkgmerge.File{x}, []pkgmerge.File{x, file("../a.yaml", "")}, nil, "is not a file below the directory"},
		{"a name above, hidden", []pkgmerge.File{x}, []pkgmerge.File{x, file("sub/../../a.yaml", "")}, nil, "is not a file below the directory"},
		{"an absolute name", []pkgmerge.File{x}, []pkgmerge.File{x, file("/tmp/a.yaml", "")}, nil, "is not a file below the directory"},
		{"no name", []pkgmerge.File{x}, []pkgmerge.File{x, file("", "")}, nil, "is not a file below the directory"},
		{"git's own", []pkgmerge.File{x}, []pkgmerge.File{x, script(".git/hooks/pre-commit", "")}, nil, "is git's own"},
		{"git's own of a module", []pkgmerge.File{x}, []pkgmerge.File{x, file("sub/.GIT/config", "")}, nil, "is git's own"},
		{"the journal", []pkgmerge.File{x}, []pkgmerge.File{x, file(Dir+"/journal", "")}, nil, "is where runs keep their files"},
		{"a name that comes twice", []pkgmerge.File{x}, []pkgmerge.File{a, a}, nil, "twice"},
		{"a file that is a directory too", []pkgmerge.File{x}, []pkgmerge.File{x, a, file("sub", "")}, nil, "is to be a file and not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := directoryOf(t, c.before...)
			if c.meanwhile != nil {
				if err := c.meanwhile(dir); err != nil {
					t.Fatal(err)
				}
			}
			was := treeOf(t, dir)
			err := Replace(context.Background(), dir, c.before, c.after)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want an error about: %s", err, c.want)
			}
			wantTree(t, dir, was)
			wantTree(t, outside, treeOf(t, directoryOf(t, file("x.yaml", "outside\n"), file("a.yaml", "a: 1\n"))))
		})
	}
}

// TestReplaceLooksOnceMoreBeforeEachEdit: changes between the comparison and the edit are found
// too.
func TestReplaceLooksOnceMoreBeforeEachEdit(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", "a: 1\n"), file("sub/b.yaml", "b: 1\n"), file("sub/goes.yaml", "b: 1\n")}
	after := []pkgmerge.File{file("a.yaml", "a: 2\n"), file("new.yaml", "b: 2\n"), file("sub/b.yaml", "b: 2\n")}
	outside := directoryOf(t, before[1:]...)
	for _, c := range []struct {
		name      string
		meanwhile func(dir string) error
		want      string
	}{
		{"changed", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sub/b.yaml"), []byte("b: mine\n"), 0o644)
		}, "sub/b.yaml was changed since"},
		{"came", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "new.yaml"), []byte("b: mine\n"), 0o644)
		}, "new.yaml was added since"},
		{"a link above", func(dir string) error {
			sub := filepath.Join(dir, "sub")
			return errors.Join(os.Rename(sub, filepath.Join(outside, "was")), os.Symlink(filepath.Join(outside, "sub"), sub))
		}, "is a symbolic link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := directoryOf(t, before...)
			err := replace(context.Background(), dir, before, after, serial(func(op string) error {
				if op == "rename "+journalName {
					return c.meanwhile(dir)
				}
				return nil
			}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want an error about: %s", err, c.want)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "a.yaml")); err != nil || string(text) != "a: 1\n" {
				t.Errorf("a.yaml: %q, %v", text, err)
			}
			wantTree(t, filepath.Join(outside, "sub"), tree{"b.yaml": "-rw-r--r-- b: 1\n", "goes.yaml": "-rw-r--r-- b: 1\n"})
		})
	}
}

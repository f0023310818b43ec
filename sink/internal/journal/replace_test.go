package journal

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

func TestReplaceMakesTheDirectoryWhatItIsToBe(t *testing.T) {
	before, after := upgrade()
	dir := directoryOf(t, before...)
	put(t, dir, file("sub/deep/unread.txt", "not of the package\n"))
	mustReplace(t, dir, before, after)
	wantTree(t, dir, treeOf(t, directoryOf(t, append(after, file("sub/deep/unread.txt", "not of the package\n"))...)))
}

func TestReplaceRemovesDirectoriesThatItEmptied(t *testing.T) {
	before := []pkgmerge.File{file("a/b/c/x.yaml", "a: 1\n"), file("a/y.yaml", "a: 1\n")}
	dir := directoryOf(t, before...)
	mustReplace(t, dir, before, before[1:])
	if got := treeOf(t, dir).names(); got != "a a/y.yaml" {
		t.Errorf("left: %s", got)
	}
	mustReplace(t, dir, before[1:], nil)
	if got := treeOf(t, dir).names(); got != "" {
		t.Errorf("left: %s", got)
	}
}

func TestReplaceDoesNotTouchWhatStays(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", "a: 1\n"), file("b.yaml", "b: 1\n"), link("c", "a.yaml")}
	dir := directoryOf(t, before...)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a.yaml"), old, old); err != nil {
		t.Fatal(err)
	}
	was := stat(t, dir, "a.yaml")
	mustReplace(t, dir, before, []pkgmerge.File{before[0], file("b.yaml", "b: 2\n"), before[2]})
	if is := stat(t, dir, "a.yaml"); !isUntouched(was, is) {
		t.Errorf("was %v, is %v", was, is)
	}
}

// TestReplaceWritesNothingWhereNothingChanges: a directory without write permission shows that
// nothing is written.
func TestReplaceWritesNothingWhereNothingChanges(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", "a: 1\n")}
	dir := directoryOf(t, before...)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	mustReplace(t, dir, before, before)
}

func TestReplaceKeepsPermissions(t *testing.T) {
	for _, c := range []struct {
		name         string
		is           fs.FileMode
		before, want fs.FileMode
		after        fs.FileMode
	}{
		{"private", 0o600, 0o644, 0o600, 0o644},
		{"private that is executable now", 0o600, 0o644, 0o700, 0o755},
		{"for the group", 0o664, 0o644, 0o664, 0o644},
		{"for the group, executable now", 0o664, 0o644, 0o775, 0o755},
		{"executable for some", 0o710, 0o755, 0o710, 0o755},
		{"executable no longer", 0o750, 0o755, 0o640, 0o644},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := file("a", "1"), file("a", "2")
			dir := directoryOf(t, before)
			if err := os.Chmod(filepath.Join(dir, "a"), c.is); err != nil {
				t.Fatal(err)
			}
			before.Mode, after.Mode = c.before, c.after
			mustReplace(t, dir, []pkgmerge.File{before}, []pkgmerge.File{after})
			if got := stat(t, dir, "a").Mode(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestReplaceKeepsTheOwner: a run as root keeps the owners of files.
func TestReplaceKeepsTheOwner(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", "a: 1\n")}
	dir := directoryOf(t, before...)
	owner := os.Getuid()
	if owner == 0 {
		owner = 65534
	}
	if err := os.Chown(filepath.Join(dir, "a.yaml"), owner, -1); err != nil {
		t.Fatal(err)
	}
	mustReplace(t, dir, before, []pkgmerge.File{file("a.yaml", "a: 2\n")})
	if got := int(stat(t, dir, "a.yaml").Sys().(*syscall.Stat_t).Uid); got != owner {
		t.Errorf("the owner is %d, and was %d", got, owner)
	}
}

func TestReplaceStopsForItsContext(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", "a: 1\n")}
	dir := directoryOf(t, before...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Replace(ctx, dir, before, []pkgmerge.File{file("a.yaml", "a: 2\n")}); err == nil {
		t.Error("want an error")
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, before...)))
}

func stat(t *testing.T, dir, name string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

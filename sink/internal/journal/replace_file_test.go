package journal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestReplaceFileThatStopsAnywhere: a run for one file that stops at any of its changes leaves one version or the other,
// whole. There is nothing to revert, and Recover removes what it left.
func TestReplaceFileThatStopsAnywhere(t *testing.T) {
	old, new := file("sub/a.yaml", "a: 1\n"), file("sub/a.yaml", "a: 2\n")
	before, after := treeOf(t, directoryOf(t, old)), treeOf(t, directoryOf(t, new))
	replaced := 0
	for n := 0; ; n++ {
		dir, failed := directoryOf(t, old), false
		err := replaceFile(dir, new, stat(t, dir, "sub/a.yaml"), from(n, &failed))
		if back, recoverErr := Recover(dir); back || recoverErr != nil {
			t.Fatalf("at %d: Recover got %v, %v", n, back, recoverErr)
		}
		got := treeOf(t, dir)
		isNew := cmp.Equal(got, after)
		if isNew {
			replaced++
		} else if diff := cmp.Diff(before, got); diff != "" {
			t.Fatalf("at %d: neither as before nor as after:\n%s", n, diff)
		}
		if isNew != (err == nil) {
			t.Errorf("at %d: got %v, and it is new: %v", n, err, isNew)
		}
		if !failed {
			break
		}
	}
	if replaced < 2 {
		t.Errorf("%d replaced the file", replaced)
	}
}

func TestReplaceFileRefuses(t *testing.T) {
	a, link := file("a.yaml", "a: 1\n"), link("link.yaml", "a.yaml")
	for name, c := range map[string]struct {
		file, want string
		change     func(dir string) error
	}{
		"a changed file":   {"a.yaml", "changed since it was read", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: 10\n"), 0o644) }},
		"a removed file":   {"a.yaml", "changed since it was read", func(dir string) error { return os.Remove(filepath.Join(dir, "a.yaml")) }},
		"a read-only file": {"a.yaml", "read-only", func(dir string) error { return os.Chmod(filepath.Join(dir, "a.yaml"), 0o444) }},
		"a link": {"a.yaml", "changed since it was read", func(dir string) error {
			return os.Rename(filepath.Join(dir, "link.yaml"), filepath.Join(dir, "a.yaml"))
		}},
		"a name outside": {"../a.yaml", "not a file below the directory", func(string) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directoryOf(t, a, link)
			info := stat(t, dir, "a.yaml")
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			was := treeOf(t, dir)
			if err := ReplaceFile(dir, file(c.file, "a: 2\n"), info); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			wantTree(t, dir, was)
		})
	}
}

// TestGitListsNoFileOfARun: git lists no file of a run that stops at any of its changes.
func TestGitListsNoFileOfARun(t *testing.T) {
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	old, new := file("a.yaml", "a: 1\n"), file("a.yaml", "a: 2\n")
	for n, failed := 0, true; failed; n++ {
		dir := directoryOf(t, old)
		git(dir, "init", "-q")
		failed = false
		_ = replace(context.Background(), dir, []pkgmerge.File{old}, []pkgmerge.File{new}, from(n, &failed))
		if listed := git(dir, "status", "--porcelain", "--untracked-files=all"); listed != "?? a.yaml\n" {
			t.Errorf("at %d: git lists %q", n, listed)
		}
	}
}

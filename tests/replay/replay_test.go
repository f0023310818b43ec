package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A history of one merge, of one file that git leaves in conflict and the driver merges as
// the people did.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "merge" {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	commit := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "--all")
		git("commit", "--quiet", "--message=a")
	}
	git("init", "--quiet", "--initial-branch=main")
	commit("a: 1\nb: 1\n")
	git("switch", "--quiet", "--create", "theirs")
	commit("a: 1\nb: 2\n")
	git("switch", "--quiet", "main")
	commit("a: 2\nb: 1\n")
	git("merge", "theirs")
	commit("a: 2\nb: 2\n")
	var out bytes.Buffer
	if err := run(context.Background(), []string{dir}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "| 1 | 1 | 1, 1, 4 | 0, 0, 0 | 1 | 1 | 1 | 0 | 0 | 0 | 0, 0, 0 | 0 | 0 |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant a last row that ends with\n%s", out.String(), want)
	}
}

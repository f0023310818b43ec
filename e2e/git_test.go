package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git as nobody in particular, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=e2e", "-c", "user.email=e2e@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, environment(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository makes a repository whose tags v1, v2 and so on are the versions.
func repository(t *testing.T, versions ...tree) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "upstream")
	repositoryAt(t, dir, versions...)
	return dir
}

// repositoryAt makes such a repository at a place.
func repositoryAt(t *testing.T, dir string, versions ...tree) {
	t.Helper()
	git(t, "", "init", "--quiet", "--bare", dir)
	for i, version := range versions {
		work := version.write(t)
		tag := fmt.Sprintf("v%d", i+1)
		git(t, work, "--git-dir="+dir, "--work-tree=.", "add", "--all")
		git(t, work, "--git-dir="+dir, "--work-tree=.", "commit", "--quiet", "--message="+tag)
		git(t, work, "--git-dir="+dir, "tag", tag)
	}
}

// commitAll makes a repository of a directory: kpt updates no package that
// could not be had back.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message=package")
}

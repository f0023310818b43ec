package gitrepo

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/internal/file"
)

// isolate has git read no configuration of who runs the tests.
func isolate(t *testing.T) {
	t.Helper()
	for _, name := range repositoryVariables() {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// runGit runs git in a directory as nobody in particular.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files into a directory. A name that ends with * is executable, and
// a text that begins with -> is a symbolic link.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		name, run := strings.CutSuffix(name, "*")
		file := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if target, link := strings.CutPrefix(text, "->"); link {
			err = os.Symlink(target, file)
		} else if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err == nil && run {
			err = os.Chmod(file, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// commit commits all that is in a directory, which it makes a repository if it is
// none, and returns the commit.
func commit(t *testing.T, dir string, texts map[string]string) string {
	t.Helper()
	write(t, dir, texts)
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		runGit(t, dir, "init", "--quiet", "--initial-branch=main")
	}
	runGit(t, dir, "add", "--all")
	runGit(t, dir, "commit", "--quiet", "--allow-empty", "--message=a")
	return runGit(t, dir, "rev-parse", "HEAD")
}

// texts are files as write takes them.
func texts(files []file.File) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		switch f.Mode {
		case 0o755:
			all[f.Name+"*"] = string(f.Data)
		case os.ModeSymlink:
			all[f.Name] = "->" + string(f.Data)
		default:
			all[f.Name] = string(f.Data)
		}
	}
	return all
}

// same compares the files of a version with the wanted ones.
func (v *Version) same(t *testing.T, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(v.Files)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", v.Remote, diff)
	}
	names := slices.Sorted(maps.Keys(want))
	for i, f := range v.Files {
		if len(names) == len(v.Files) && f.Name != strings.TrimSuffix(names[i], "*") {
			t.Errorf("file %d is %s", i, f.Name)
		}
	}
}

// fetch is Git.Fetch of remotes that must be there.
func fetch(t *testing.T, g Git, remotes ...Remote) *Version {
	t.Helper()
	version, err := g.Fetch(context.Background(), remotes...)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// refused checks that an error says something, and no secret.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want an error with %q in one line", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the error has a secret: %v", err)
	}
}

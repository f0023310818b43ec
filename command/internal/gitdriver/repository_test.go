package gitdriver_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// played is the environment variable that makes the test binary act as the command resource-merge.
const played = "RESOURCE_MERGE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(played) != "" {
		os.Exit(command(os.Args[1:]))
	}
	seed.Main(m)
}

// command runs `resource-merge git driver` and `resource-merge git solve`.
func command(args []string) int {
	ctx := context.Background()
	switch args[1] {
	case "solve":
		unsolved, err := gitdriver.Git{}.Solve(ctx, args[2:], os.Stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, "resource-merge git solve:", err)
		}
		if err != nil || unsolved > 0 {
			return 1
		}
		return 0
	case "driver":
	default:
		return 2
	}
	var c gitdriver.Call
	var files []string
	for i := 2; i < len(args); i++ {
		target := map[string]*string{"-p": &c.Path, "-s": &c.Labels[marker.Base], "-x": &c.Labels[marker.Ours], "-y": &c.Labels[marker.Theirs]}[args[i]]
		switch {
		case args[i] == "-L":
			i++
			c.Size, _ = strconv.Atoi(args[i])
		case target != nil:
			i++
			*target = args[i]
		default:
			files = append(files, args[i])
		}
	}
	c.Base, c.Ours, c.Theirs = files[0], files[1], files[2]
	return gitdriver.Git{}.Drive(ctx, c, os.Stderr)
}

// repository is a repository with the driver installed.
type repository struct {
	*testing.T
	dir string
	env []string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("the tests need git:", err)
	}
	bin, home := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", played, self)
	if err := os.WriteFile(filepath.Join(bin, "resource-merge"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r := repository{T: t, dir: t.TempDir()}
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_EDITOR=true")
	r.git("init", "--quiet", "--initial-branch=main")
	if err := (gitdriver.Git{Dir: r.dir}).Install(context.Background(), "resource-merge", false, io.Discard); err != nil {
		t.Fatal(err)
	}
	r.write(".gitattributes", "*.yaml merge=resource-merge\n")
	return r
}

// try runs git.
func (r repository) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// git runs git, which is to succeed.
func (r repository) git(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// fails runs git, which is to stop at a conflict.
func (r repository) fails(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	if err == nil {
		r.Fatalf("git %s: no conflict\n%s", strings.Join(args, " "), out)
	}
	return out
}

func (r repository) write(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r repository) read(name string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// commit commits files.
func (r repository) commit(message string, files map[string]string) {
	r.Helper()
	for name, text := range files {
		r.write(name, text)
	}
	r.git("add", "--all")
	r.git("commit", "--quiet", "--message", message)
}

// branches has the branch theirs, and main checked out, both of base.
func (r repository) branches(base, ours, theirs map[string]string) {
	r.Helper()
	r.commit("base", base)
	r.git("switch", "--quiet", "--create", "theirs")
	r.commit("theirs", theirs)
	r.git("switch", "--quiet", "main")
	r.commit("ours", ours)
}

package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// trap is a program that writes a file if somebody starts it.
type trap struct{ program, sprung string }

func newTrap(t *testing.T) trap {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the trap is a shell script")
	}
	dir := t.TempDir()
	p := trap{program: filepath.Join(dir, "trap"), sprung: filepath.Join(dir, "sprung")}
	script := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >>'%s'\nexit 1\n", p.sprung)
	if err := os.WriteFile(p.program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// check fails if the program was started.
func (p trap) check(t *testing.T, what string) {
	t.Helper()
	if out, err := os.ReadFile(p.sprung); err == nil {
		t.Errorf("%s started a program of the package: %s", what, out)
		_ = os.Remove(p.sprung)
	}
}

// config is a configuration of git that starts the program wherever it can, but for
// filters, with further lines of section core.
func (p trap) config(core ...string) string {
	return "[core]\n\trepositoryformatversion = 1\n" + strings.Join(core, "\n") + strings.ReplaceAll(`
	fsmonitor = TRAP
	hooksPath = DIR
	sshCommand = TRAP
	gitProxy = TRAP
	askPass = TRAP
	editor = TRAP
	pager = TRAP
	alternateRefsCommand = TRAP
[extensions]
	partialClone = evil
[remote "evil"]
	url = ext::TRAP
	promisor = true
	uploadpack = TRAP
[protocol "ext"]
	allow = always
[credential]
	helper = !TRAP
[url "ext::TRAP "]
	insteadOf = file://
	insteadOf = git://
	insteadOf = /
[diff]
	external = TRAP
[gpg]
	program = TRAP
`, "TRAP", p.program)
}

// bare are the plain files by which git takes a directory for a bare repository.
func (p trap) bare(core ...string) map[string]string {
	return map[string]string{
		"HEAD": "ref: refs/heads/main\n", "config": strings.ReplaceAll(p.config(core...), "DIR", filepath.Dir(p.program)), "objects/x": "", "refs/x": "",
		"index": "", "web.yaml": "kind: Deployment\n",
	}
}

// call calls everything that reads a repository, and ignores the errors.
func call(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	g := Git{Cache: t.TempDir()}
	for _, name := range []string{dir, filepath.Join(dir, "web.yaml"), filepath.Join(dir, "objects")} {
		w, err := g.Find(ctx, name)
		if err != nil || w == nil {
			continue
		}
		_, _ = w.Changes(ctx, true)
		_, _ = w.Revision(ctx, "HEAD")
		_, _ = w.Revision(ctx, "HEAD~1")
		_, _ = w.Revision(ctx, "0123456789012345678901234567890123456789")
	}
	t.Chdir(dir)
	_, _ = g.Fetch(ctx, Remote{Repository: "file://" + t.TempDir(), Ref: "v1"})
	for _, args := range [][]string{
		{"ls-files", "--unmerged", "-z"}, {"config", "--get", "merge.conflictStyle"}, {"add", "--", "web.yaml"},
		{"cat-file", "--filters", ":2:./web.yaml"}, {"merge-file", "-p", "web.yaml", "web.yaml", "web.yaml"},
	} {
		_, _, _ = Inside(ctx, "", nil, args...)
		_, _, _ = Inside(ctx, dir, nil, args...)
	}
}

// A package that consists of the files of a bare repository starts nothing, neither where
// it lies in the user's repository nor where it lies in none, and the repository that is
// found is the user's.
func TestAPackageThatIsABareRepository(t *testing.T) {
	isolate(t)
	p := newTrap(t)
	user, alone := t.TempDir(), t.TempDir()
	commit(t, user, map[string]string{"README": "ours", "shop/readme": "ours"})
	for _, core := range [][]string{{"\tbare = true"}, {"\tbare = false"}, {"\tbare = false", "\tworktree = ."}, {"\tbare = false", "\tworktree = .."}} {
		for _, dir := range []string{filepath.Join(user, "shop"), alone, filepath.Join(alone, "deep", "shop")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, dir, p.bare(core...))
			t.Run(fmt.Sprint(core, filepath.Base(dir)), func(t *testing.T) { call(t, dir) })
			p.check(t, fmt.Sprint(dir, core))
		}
	}
	real, err := filepath.EvalSymlinks(user)
	if err != nil {
		t.Fatal(err)
	}
	if w := find(t, filepath.Join(user, "shop")); w.Top != real || w.Name != "shop" {
		t.Errorf("found %s in %s", w.Name, w.Top)
	}
	if names, err := find(t, filepath.Join(user, "shop")).Changes(context.Background(), true); err != nil || !slices.Contains(names, "shop/HEAD") {
		t.Errorf("changes: %v, %v", names, err)
	}
	if w, err := (Git{}).Find(context.Background(), alone); w != nil || err != nil {
		t.Errorf("found %v, %v where no .git is", w, err)
	}
}

// A .git that the package brought along, as a directory or as a file that leads to one,
// starts nothing: no hook, no file monitor, no transport.
func TestARepositoryThatAPackageBrought(t *testing.T) {
	isolate(t)
	p := newTrap(t)
	hook := filepath.Join(filepath.Dir(p.program), "post-index-change")
	if err := os.Link(p.program, hook); err != nil {
		t.Fatal(err)
	}
	for name, asFile := range map[string]bool{"directory": false, "file": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			commit(t, dir, map[string]string{"web.yaml": "kind: Deployment\n"})
			repository := filepath.Join(dir, ".git")
			if asFile {
				if err := os.Rename(repository, filepath.Join(dir, "evil")); err != nil {
					t.Fatal(err)
				}
				repository = filepath.Join(dir, "evil")
				write(t, dir, map[string]string{".git": "gitdir: evil\n"})
			}
			write(t, repository, map[string]string{"config": p.bare("\tbare = false")["config"]})
			write(t, dir, map[string]string{"web.yaml": "kind: Service\n"})
			w := find(t, dir)
			if names, err := w.Changes(context.Background(), true); err != nil || !slices.Contains(names, "web.yaml") {
				t.Errorf("changes: %v, %v", names, err)
			}
			call(t, dir)
		})
		p.check(t, name)
	}
}

// Variables that lead git to another repository do not reach the calls about a package,
// and configuration in variables starts nothing.
func TestAHostileEnvironment(t *testing.T) {
	isolate(t)
	p := newTrap(t)
	user, evil := t.TempDir(), t.TempDir()
	commit(t, user, map[string]string{"web.yaml": "kind: Deployment\n"})
	write(t, evil, p.bare("\tbare = false", "\tworktree = "+user))
	for _, variables := range []map[string]string{
		{"GIT_DIR": evil}, {"GIT_DIR": evil, "GIT_WORK_TREE": user}, {"GIT_COMMON_DIR": evil}, {"GIT_OBJECT_DIRECTORY": evil},
		{"GIT_INDEX_FILE": filepath.Join(evil, "index")}, {"GIT_ATTR_SOURCE": "HEAD"},
		{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": p.program},
		{"GIT_CONFIG_PARAMETERS": "'core.fsmonitor=" + p.program + "'"},
	} {
		t.Run(fmt.Sprint(variables), func(t *testing.T) {
			for name, value := range variables {
				t.Setenv(name, value)
			}
			w := find(t, user)
			if names, err := w.Changes(context.Background(), true); err != nil || len(names) > 0 {
				t.Errorf("changes: %v, %v", names, err)
			}
			if _, err := w.Revision(context.Background(), "HEAD"); err != nil {
				t.Error(err)
			}
		})
		p.check(t, fmt.Sprint(variables))
	}
}

// A filter of the user's repository runs, as git-lfs does; that of a version elsewhere has
// no command.
func TestFiltersOfTheUser(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	runGit(t, dir, "init", "--quiet")
	runGit(t, dir, "config", "filter.upper.smudge", "tr a-z A-Z")
	runGit(t, dir, "config", "filter.upper.clean", "tr A-Z a-z")
	commit(t, dir, map[string]string{".gitattributes": "*.yaml filter=upper\n", "web.yaml": "KIND: WEB\n"})
	version, err := find(t, dir).Revision(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range version.Files {
		if f.Name == "web.yaml" && string(f.Data) != "KIND: WEB\n" {
			t.Errorf("the revision has %q", f.Data)
		}
	}
	fetched, err := Git{Cache: t.TempDir()}.Fetch(context.Background(), Remote{Repository: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fetched.Files {
		if f.Name == "web.yaml" && string(f.Data) != "kind: web\n" {
			t.Errorf("the remote's configuration counted: %q", f.Data)
		}
	}
}

// The list of git's commands is complete: SECURITY.md has a row for each, and no other
// package starts a program.
func TestCallsAreListed(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `git ([a-z-]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, row[1])
	}
	if !slices.Equal(rows, calls()) {
		t.Errorf("SECURITY.md has rows for %q, and the program starts %q", rows, calls())
	}
	if _, err := start(context.Background(), []string{"-C", ".", "gc"}); err == nil {
		t.Error("a call that is not listed is started")
	}
	if _, err := start(context.Background(), []string{"-c", "a.b=status"}); err == nil {
		t.Error("a call without a subcommand is started")
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Imports}}", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := []string{
		"internal/gitrepo", "merge/schema/gen",
		"command/internal/resolve", // the user's editor
		"values",                   // the user's helm
		"render",                   // the program of upstream.command, with --allow-exec
	}
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(line, " ")
		name = strings.TrimPrefix(name, "github.com/resource-merge/resource-merge/")
		if slices.Contains(strings.Fields(strings.Trim(imports, "[]\n")), "os/exec") && !slices.Contains(listed, name) && !strings.HasPrefix(name, "tests/") {
			t.Errorf("%s starts programs", name)
		}
	}
}

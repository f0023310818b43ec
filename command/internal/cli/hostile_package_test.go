//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// trapPrograms is a directory of programs that git or a shell could be made to start. Each
// notes in the file sprung that it was started.
func trapPrograms(t *testing.T) (dir, sprung string) {
	t.Helper()
	dir = t.TempDir()
	sprung = filepath.Join(dir, "sprung")
	for _, name := range []string{"trap", "ssh", "git-remote-a.b", "git-remote-evil", "git-remote-trap", "git-upload-pack-trap", "sh;trap", "less", "editor"} {
		script := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >>'%s'\nexit 1\n", sprung)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, sprung
}

// carelessUser has a configuration of git that allows every transport, and starts programs of
// the PATH; the traps are the first of these.
func carelessUser(t *testing.T) (sprung string) {
	t.Helper()
	traps, sprung := trapPrograms(t)
	home := t.TempDir()
	config := "[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n[protocol \"fd\"]\n\tallow = always\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("KPT_CACHE_DIR", t.TempDir())
	t.Setenv("PATH", traps+string(os.PathListSeparator)+os.Getenv("PATH"))
	return sprung
}

// git runs git in a directory, and returns its output without the last line break.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// entries are all files, directories and links below a directory, with modes and contents.
func entries(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte(nil)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(file)
			text = []byte(target)
		case info.Mode().IsRegular():
			text, err = os.ReadFile(file)
		}
		all[file] = fmt.Sprint(info.Mode(), " ", string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wantSame fails if an entry came, went or changed.
func wantSame(t *testing.T, was, is map[string]string) {
	t.Helper()
	for name, text := range is {
		if before, found := was[name]; !found || before != text {
			t.Errorf("%q came or changed: %.100q", name, text)
		}
	}
	for name := range was {
		if _, found := is[name]; !found {
			t.Errorf("%q is gone", name)
		}
	}
}

// wantRefusal runs a command, which has to end soon, with exit code 1 and an error that a person
// can read, and must start no trap.
func wantRefusal(t *testing.T, dir, sprung string, args ...string) {
	t.Helper()
	start := time.Now()
	r := runIn(t, dir, "", args...)
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if r.code != 1 || r.errors == "" {
		t.Errorf("exit code %d, %q", r.code, r.errors)
	}
	if strings.ContainsFunc(r.out+r.errors, func(c rune) bool { return wording.IsUnseen(c, "\n\t") }) || len(r.errors) > 4096 || strings.Contains(r.errors, "panic") {
		t.Errorf("its error, of %d bytes, is %.500q", len(r.errors), r.errors)
	}
	if started, err := os.ReadFile(sprung); err == nil {
		t.Errorf("it started %s", started)
		_ = os.Remove(sprung)
	}
	t.Logf("%.300s", r.errors)
}

// upstreamRepository is a repository with a package shop at v1 and v2, which has links, a file and
// a submodule beside it.
func upstreamRepository(t *testing.T, dir string) (v1 string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "--quiet")
	for n, tag := range []string{"v1", "v2"} {
		writeTree(t, dir, map[string]string{"shop/web.yaml": named("a", n), "shop/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n", "file": "x"})
		for _, link := range []string{"out", "shop-link"} {
			_ = os.Symlink(map[string]string{"out": "../..", "shop-link": "shop"}[link], filepath.Join(dir, link))
		}
		git(t, dir, "add", "--all")
		git(t, dir, "commit", "--quiet", "--message", tag)
		git(t, dir, "tag", tag)
	}
	return git(t, dir, "rev-parse", "v1")
}

// from is the place of an upstream in a Kptfile.
type from struct{ repo, directory, ref, commit any }

// kptfileOf is a Kptfile with a place for upstream and lock.
func kptfileOf(t *testing.T, p from) string {
	t.Helper()
	text := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	at := fmt.Sprintf("{type: git, git: {repo: %s, directory: %s, ref: %s", text(p.repo), text(p.directory), text(p.ref))
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\nupstream: " + at + "}}\nupstreamLock: " + at + ", commit: " + text(p.commit) + "}}\n"
}

// hostileKptfiles are Kptfiles with a hostile upstream, and files that are not Kptfiles.
func hostileKptfiles(t *testing.T, repository, v1 string) map[string]string {
	t.Helper()
	all := map[string]string{}
	add := func(what string, value any, p from) {
		all[fmt.Sprintf("%s %.60q", what, fmt.Sprint(value))] = kptfileOf(t, p)
	}
	for _, repo := range []any{
		"--upload-pack=trap", "-oProxyCommand=trap", "-", "ext::trap", "ext::sh -c trap% x", "fd::17", "a.b::trap", "evil::x", "trap::x", "git::ext::trap",
		"ext://trap", "fd://17", "EXT::trap", "ssh://-oProxyCommand=trap/x", "ssh://a@-oProxyCommand=trap/x", "a@-oProxyCommand=trap:x", "-oProxyCommand=trap:x",
		"git://-x/y", "git://127.0.0.1:1/x", "http://127.0.0.1:1/x.git", "file:///dev/null", "/dev/null", "/dev/zero", "/proc/self/fd/0", "file://", "", ".", "..", "/", "~", "$(trap)", "`trap`", ";trap", "|trap",
		"x\ntrap", "x\x1b]0;y\x07", "x\x00y", "\u202e", strings.Repeat("a/", 1<<14), "./bare", "./partial", "./trap.bundle", "http://[::1", "http://%zz", "://", "C:\\trap", "\\\\host\\share",
		1, true, nil, []string{"a"}, map[string]string{"a": "b"},
	} {
		add("repo", repo, from{repo, "/shop", "v1", v1})
	}
	for _, directory := range []any{
		"..", "/..", "/../../..", "shop/../..", "-x", "--help", ".git", "/.git/objects", "shop/.git", "shop/web.yaml", "file", "out", "out/x", "shop-link", "missing", "*", ":(top)", ":/", "shop\x00", "shop\n", "\x1b[2J",
		"..\\..", strings.Repeat("a/", 1<<14), []string{"shop"}, map[string]int{"shop": 1},
	} {
		add("directory", directory, from{repository, directory, "v1", v1})
	}
	for _, ref := range []any{
		"--upload-pack=trap", "-x", "v1:shop", "+v1:refs/heads/main", "+refs/*:refs/*", "^v1", "@{-1}", "@", "v1..v2", "refs/heads/../../x", "../v1", "a b", "v1\nv2", "v1\x1b[2J", "*", "HEAD^", "v1~0", "v1^{tree}", ":/v1",
		"missing", "refs/heads/", "refs/tags/missing", strings.Repeat("v", 1<<20), []string{"v1"},
	} {
		add("ref", ref, from{repository, "/shop", ref, v1})
	}
	for _, commit := range []any{"--output=trap", "-x", "HEAD^", "v1:shop", "../../x", strings.Repeat("0", 40), strings.Repeat("f", 64), strings.Repeat("g", 40), "v1;trap", v1[:6] + "\n", git(t, repository, "rev-parse", "v1:file")} {
		add("commit", commit, from{repository, "/shop", "v2", commit})
	}
	head := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
	valid := kptfileOf(t, from{repository, "/shop", "v1", v1})
	bomb := "a: &a0 [x, x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("b%d: &a%d [*a%d, *a%[3]d]\n", i, i+1, i)
	}
	for what, text := range map[string]string{
		"empty": "", "no YAML": "a: [", "a text": "trap\n", "a list": "[]\n", "null": "null\n", "NUL bytes": "\x00\x00\x00", "no UTF-8": head + "a: \xff\xfe\n",
		"an alias bomb": head + bomb + "upstream: *a40\n", "an alias of itself": head + "upstream: &a {git: *a}\n", "an unknown alias": head + "upstream: *a\n",
		"deep": head + "upstream: " + strings.Repeat("{git: ", 100_000) + "\n", "deep and closed": head + "upstream: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n",
		"huge": head + "# " + strings.Repeat("x", 20<<20) + "\n", "another version": strings.Replace(valid, "kpt.dev/v1", "kpt.dev/v9", 1), "another kind": strings.Replace(valid, "kind: Kptfile", "kind: Pod", 1),
		"a key twice":        valid + "upstream: {type: git, git: {repo: ext::trap, directory: /, ref: v1}}\n",
		"upstream is a list": head + "upstream: [git]\n", "git is a text": head + "upstream: {type: git, git: trap}\n", "git is a list": head + "upstream: {type: git, git: [repo]}\n",
		"an unknown strategy": strings.Replace(valid, "type: git,", "type: git, updateStrategy: trap,", 1), "a strategy like an option": strings.Replace(valid, "type: git,", "type: git, updateStrategy: --exec=trap,", 1),
		"no upstream": head, "a tag": head + "upstream: !!binary dHJhcA==\n", "a merge key": head + "x: &x {repo: 'ext::trap', directory: /, ref: v1}\nupstream: {type: git, git: {<<: *x}}\n",
	} {
		all["Kptfile: "+what] = text
	}
	return all
}

// Whatever a Kptfile says, update starts no program but git, touches nothing, and ends soon with a
// clear error. A quick run has every third text.
func TestHostileKptfiles(t *testing.T) {
	sprung := carelessUser(t)
	base := t.TempDir()
	repository := filepath.Join(base, "repository")
	v1 := upstreamRepository(t, repository)
	pkg := filepath.Join(base, "pkg")
	writeTree(t, base, map[string]string{"beside.yaml": named("a", 5), "pkg/web.yaml": named("a", 3), "pkg/trap.bundle": "# v2 git bundle\n"})
	hostileRemotes(t, repository, pkg)
	all := hostileKptfiles(t, repository, v1)
	for i, what := range slices.Sorted(maps.Keys(all)) {
		if i%seed.Step(3) != 0 {
			continue
		}
		t.Run(what, func(t *testing.T) {
			writeTree(t, pkg, map[string]string{"Kptfile": all[what]})
			was := entries(t, base)
			wantRefusal(t, pkg, sprung, "update", "--force")
			wantSame(t, was, entries(t, base))
		})
	}
	elsewhere := t.TempDir()
	writeTree(t, elsewhere, map[string]string{"Kptfile": kptfileOf(t, from{repository, "/shop", "v2", v1})})
	for what, make := range map[string]func(file string) error{
		"a link":       func(file string) error { return os.Symlink(filepath.Join(elsewhere, "Kptfile"), file) },
		"a directory":  func(file string) error { return os.Mkdir(file, 0o755) },
		"a named pipe": func(file string) error { return syscall.Mkfifo(file, 0o644) },
		"missing":      func(string) error { return nil },
	} {
		t.Run("Kptfile is "+what, func(t *testing.T) {
			file := filepath.Join(pkg, "Kptfile")
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if err := make(file); err != nil {
				t.Fatal(err)
			}
			was, outside := entries(t, base), entries(t, elsewhere)
			wantRefusal(t, pkg, sprung, "update", "--force")
			wantSame(t, was, entries(t, base))
			wantSame(t, outside, entries(t, elsewhere))
		})
	}
}

// A pipe that nobody writes to stops no merge, where a file is read before the files are listed.
func TestPipeForRulesOfFiles(t *testing.T) {
	base := t.TempDir()
	for _, side := range []string{"origin", "upstream", "local"} {
		writeTree(t, base, map[string]string{side + "/a.yaml": named("a", 1)})
	}
	if err := syscall.Mkfifo(filepath.Join(base, "local", ".krmignore"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, base, carelessUser(t), "merge", "--origin=origin", "--upstream=upstream", "--local=local", "--write")
}

// hostileRemotes makes repositories in the package whose configurations start programs: a bare one,
// and a partial clone that lacks its objects.
func hostileRemotes(t *testing.T, repository, pkg string) {
	t.Helper()
	const config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tfsmonitor = trap\n\tsshCommand = trap\n\talternateRefsCommand = trap\n[extensions]\n\tpartialClone = evil\n" +
		"[remote \"evil\"]\n\turl = ext::trap\n\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n[uploadpack]\n\tpackObjectsHook = trap\n"
	for _, name := range []string{"bare", "partial"} {
		dir := filepath.Join(pkg, name)
		git(t, repository, "clone", "--quiet", "--bare", ".", dir)
		for _, hook := range []string{"pre-receive", "post-checkout", "reference-transaction", "post-index-change"} {
			if err := os.WriteFile(filepath.Join(dir, "hooks", hook), []byte("#!/bin/sh\ntrap\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if name == "partial" {
			tree := git(t, dir, "rev-parse", "v1^{tree}")
			_ = os.Remove(filepath.Join(dir, "objects", tree[:2], tree[2:]))
		} else {
			git(t, dir, "tag", "--delete", "v1")
		}
		writeTree(t, dir, map[string]string{"config": config})
	}
}

// TestCommandsOfAPackageDoNotRun: no command, driver or function runs the program that upstream.command names in a package,
// and update runs it with --allow-exec alone.
func TestCommandsOfAPackageDoNotRun(t *testing.T) {
	sprung := carelessUser(t)
	base := t.TempDir()
	writeTree(t, base, map[string]string{"o/web.yaml": named("a", 1), "u/web.yaml": named("a", 2), "l/web.yaml": named("a", 3)})
	const config = "upstream: {command: [trap, \"{version}\"], version: v1}\n"
	writeTree(t, base, map[string]string{".resource-merge.yaml": config, "l/.resource-merge.yaml": config, "u/.resource-merge.yaml": config, "o/.resource-merge.yaml": config})
	git(t, base, "init", "--quiet")
	git(t, base, "add", "--all")
	git(t, base, "commit", "--quiet", "--message", "begin")
	typed := "sources: {origin: {dir: o}, upstream: {dir: u}, local: {dir: l}}\napiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\n" + config
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: " + strings.ReplaceAll(strings.TrimSpace(typed), "\n", "\n  ") + "\nitems: []\n"
	list = strings.Replace(list, "functionConfig: ", "functionConfig:\n  ", 1)
	for _, args := range [][]string{
		{}, {"update", "l@v2"}, {"update", "l"}, {"update", "l", "--latest"}, {"update", "l@v2", "--diff"}, {"track", "l", "--upstream", "./u/{version}@v1"},
		{"merge", "--origin", "o", "--upstream", "u", "--local", "l"}, {"merge", "--origin", "o", "--upstream", "u", "--local", "l", "--config", "l/.resource-merge.yaml"},
		{"overlay", "--origin", "o", "--upstream", "u", "--local", "l", "-o", filepath.Join(t.TempDir(), "out")}, {"apply", "--live", "o/web.yaml", "l"},
		{"git", "driver", "o/web.yaml", "l/web.yaml", "u/web.yaml"}, {"git", "driver", "o/.resource-merge.yaml", "l/.resource-merge.yaml", "u/.resource-merge.yaml"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdin := ""
			if len(args) == 0 {
				stdin = list
			}
			r := runIn(t, base, stdin, args...)
			if started, err := os.ReadFile(sprung); err == nil {
				t.Errorf("it started %s", started)
				_ = os.Remove(sprung)
			}
			t.Logf("%d: %.300s", r.code, r.errors)
		})
	}
	git(t, base, "checkout", "--quiet", ".") // the driver wrote markers
	if r := runIn(t, base, "", "update", "l@v2", "--allow-exec", "--force"); r.code != 1 || !strings.Contains(r.errors, "trap v1: it failed: exit status 1") {
		t.Errorf("allowed: %d, %s", r.code, r.errors)
	}
	if _, err := os.Stat(sprung); err != nil {
		t.Error("the trap would not have sprung")
	}
}

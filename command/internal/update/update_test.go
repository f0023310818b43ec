package update

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

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// texts are files by name.
type texts map[string]string

func (t texts) files() (all files) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		all = append(all, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(t[name])})
	}
	return all
}

func textsOf(all files) texts {
	t := texts{}
	for _, f := range all {
		t[f.Name] = string(f.Data)
	}
	return t
}

// git runs git in a directory as nobody in particular.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository is a repository with the versions, whose tags are v1, v2 and so on.
func repository(t *testing.T, versions ...texts) (dir string, commits []string) {
	t.Helper()
	dir = t.TempDir()
	runGit(t, dir, "init", "--quiet", "--initial-branch=main")
	for i, version := range versions {
		runGit(t, dir, "rm", "-r", "--quiet", "--ignore-unmatch", ".")
		for name, text := range version {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		runGit(t, dir, "add", "--all")
		runGit(t, dir, "commit", "--quiet", "--allow-empty", "--message=a")
		runGit(t, dir, "tag", "v"+string(rune('1'+i)))
		commits = append(commits, runGit(t, dir, "rev-parse", "HEAD"))
	}
	return dir, commits
}

// kptfileOf returns a Kptfile with an upstream.
func kptfileOf(name, repo, directory, ref, commit, strategy string) string {
	text := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\nupstream:\n  type: git\n  git:\n    repo: " +
		repo + "\n    directory: " + directory + "\n    ref: " + ref + "\n"
	if strategy != "" {
		text += "  updateStrategy: " + strategy + "\n"
	}
	if commit != "" {
		text += "upstreamLock:\n  type: git\n  git:\n    repo: " + repo + "\n    directory: " + directory + "\n    ref: " + ref + "\n    commit: " + commit + "\n"
	}
	return text
}

// configMap returns a ConfigMap as it is in a repository.
func configMap(name string, data ...string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n  " + strings.Join(data, "\n  ") + "\n"
}

// noted returns a ConfigMap as it is in a copy.
func noted(text, comment string) string {
	return strings.Replace(text, "metadata:\n", "metadata: # kpt-merge: "+comment+"\n", 1)
}

// annotatedWith returns a ConfigMap as an update adds it.
func annotatedWith(text, name string) string {
	return strings.Replace(noted(text, "/"+name), "  name: "+name+"\n", "  name: "+name+"\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|"+name+"'\n", 1)
}

func run(t *testing.T, local texts, o Options) (*Update, error) {
	t.Helper()
	o.Git = gitrepo.Git{Cache: t.TempDir()}
	return Run(context.Background(), local.files(), o)
}

// becomes checks the files of an update.
func becomes(t *testing.T, local texts, o Options, want texts) *Update {
	t.Helper()
	u, err := run(t, local, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, textsOf(u.Files)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	return u
}

func TestRun(t *testing.T) {
	repo, commits := repository(t,
		texts{"pkg/a.yaml": configMap("a", "x: one", "y: one"), "pkg/gone.yaml": configMap("gone", "x: one"), "pkg/README.md": "one\n"},
		texts{"pkg/a.yaml": configMap("a", "x: two", "y: one"), "pkg/new.yaml": configMap("new", "x: two"), "pkg/README.md": "two\n"},
	)
	local := texts{
		"Kptfile":   kptfileOf("mine", repo, "/pkg", "v1", commits[0], "resource-merge"),
		"a.yaml":    noted(configMap("mine", "x: one", "y: ours"), "/a"),
		"gone.yaml": noted(configMap("gone", "x: one"), "/gone"),
		"own.yaml":  configMap("own", "x: ours"),
		"README.md": "one\n",
	}
	u := becomes(t, local, Options{Version: "v2"}, texts{
		"Kptfile":   kptfileOf("mine", repo, "/pkg", "v2", commits[1], "resource-merge"),
		"a.yaml":    noted(configMap("mine", "x: two", "y: ours"), "/a"),
		"new.yaml":  annotatedWith(configMap("new", "x: two"), "new"),
		"own.yaml":  configMap("own", "x: ours"),
		"README.md": "two\n",
	})
	if len(u.Packages) != 1 || u.Packages[0].Origin.ID != commits[0] || u.Packages[0].Upstream.ID != commits[1] {
		t.Errorf("packages: %v", u.Packages)
	}
	again := becomes(t, textsOf(u.Files), Options{}, textsOf(u.Files))
	unchanged := 0
	for _, c := range again.Packages[0].Result.Changes {
		if c.Action == pkgmerge.Unchanged {
			unchanged++
		}
	}
	if unchanged != 4 {
		t.Errorf("%d resources are unchanged", unchanged)
	}
}

func TestErrors(t *testing.T) {
	repo, commits := repository(t, texts{"a.yaml": configMap("a", "x: one"), "other/a.yaml": configMap("a", "x: one")})
	good := kptfileOf("a", repo, "/", "v1", commits[0], "")
	for name, test := range map[string]struct {
		kptfile string
		options Options
		want    string
	}{
		"no upstream":         {"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\n", Options{}, "must have an upstream"},
		"not from git":        {"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\nupstream: {type: oci}\n", Options{}, "must have an upstream"},
		"old version":         {strings.Replace(good, "kpt.dev/v1", "kpt.dev/v1alpha1", 1), Options{}, "must be Kptfile of kpt.dev/v1"},
		"no YAML":             {"a: [", Options{}, "Kptfile: "},
		"empty":               {"# nothing\n", Options{}, "it is empty"},
		"unknown version":     {good, Options{Version: "v9"}, `no branch, tag or commit "v9"`},
		"an option":           {good, Options{Version: "--upload-pack=x"}, "looks like an option"},
		"unknown strategy":    {good, Options{Strategy: "other"}, `strategy: "other" is not allowed`},
		"unknown in Kptfile":  {good + "# a\n", Options{}, ""},
		"no such directory":   {strings.ReplaceAll(good, "directory: /", "directory: /none"), Options{}, "no such directory"},
		"a path that leaves":  {strings.ReplaceAll(good, "directory: /", "directory: /../none"), Options{}, "is not below the top of the repository"},
		"no such repository":  {strings.ReplaceAll(good, repo, repo+"/none"), Options{}, "does not appear to be"},
		"the lock is no more": {strings.ReplaceAll(good, commits[0], "0123456789012345678901234567890123456789"), Options{}, "not our ref"},
	} {
		_, err := run(t, texts{"Kptfile": test.kptfile, "a.yaml": noted(configMap("a", "x: one"), "/a")}, test.options)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want an error with %q", name, err, test.want)
		}
	}
	if _, err := run(t, texts{"a.yaml": "a: 1\n"}, Options{}); err == nil || !strings.Contains(err.Error(), "no Kptfile") {
		t.Errorf("got %v", err)
	}
}

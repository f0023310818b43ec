package update

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// shop is a package with a dependency of two versions, which its copy has at sub.
type shop struct {
	dep, repo     string
	depAt, repoAt []string
}

// newShop makes the repositories. The package references the dependency with a version's Kptfile,
// "" for none.
func newShop(t *testing.T, dir string, kptfile func(dep string) [2]string) shop {
	t.Helper()
	var s shop
	s.dep, s.depAt = repository(t,
		texts{"d.yaml": configMap("d", "x: one", "y: one")},
		texts{"d.yaml": configMap("d", "x: two", "y: one")})
	var versions []texts
	for i, text := range kptfile(s.dep) {
		version := texts{"Kptfile": kptfileOnly("shop"), "a.yaml": configMap("a", "x: "+[]string{"one", "two"}[i])}
		if text != "" {
			version[dir+"/Kptfile"] = text
		}
		versions = append(versions, version)
	}
	s.repo, s.repoAt = repository(t, versions...)
	return s
}

func kptfileOnly(name string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n"
}

// copied is the copy of the first version, with the dependency of a version in dir.
func (s shop) copied(dir, ref string, d string) texts {
	return texts{
		"Kptfile":        kptfileOf("mine", s.repo, "/", "v1", s.repoAt[0], "resource-merge"),
		"a.yaml":         noted(configMap("a", "x: one"), "/a"),
		dir + "/Kptfile": kptfileOf("sub", s.dep, "/", ref, s.depAt[strings.Index("12", ref[1:])], "resource-merge"),
		dir + "/d.yaml":  noted(d, "/d"),
		dir + "/own.txt": "ours\n",
	}
}

// then is the copy of the second version.
func (s shop) then(dir, ref string, d string) texts {
	want := s.copied(dir, ref, d)
	want["Kptfile"] = kptfileOf("mine", s.repo, "/", "v2", s.repoAt[1], "resource-merge")
	want["a.yaml"] = noted(configMap("a", "x: two"), "/a")
	return want
}

func names(ref string) func(dep string) string {
	return func(dep string) string { return kptfileOf("sub", dep, "/", ref, "", "resource-merge") }
}

// TestDependencyAtAnotherVersion updates a dependency from its lock to the version that the package
// references.
func TestDependencyAtAnotherVersion(t *testing.T) {
	for _, dir := range []string{"sub", "in/sub"} {
		s := newShop(t, dir, func(dep string) [2]string { return [2]string{names("v1")(dep), names("v2")(dep)} })
		local, want := s.copied(dir, "v1", configMap("d", "x: one", "y: ours")), s.then(dir, "v2", configMap("d", "x: two", "y: ours"))
		if dir != "sub" {
			local["in/Kptfile"], want["in/Kptfile"] = kptfileOnly("in"), kptfileOnly("in")
		}
		u := becomes(t, local, Options{Version: "v2"}, want)
		if len(u.Packages) != 2 || u.Packages[1].Dir != dir || u.Packages[1].Upstream.ID != s.depAt[1] {
			t.Errorf("packages: %v", u.Packages)
		}
	}
}

// TestDependencyOfTheUsers keeps a dependency whose upstream the user changed, and one that the
// package lacks.
func TestDependencyOfTheUsers(t *testing.T) {
	for _, kptfile := range []func(dep string) [2]string{
		func(dep string) [2]string { return [2]string{names("v1")(dep), names("v1")(dep)} },
		func(string) [2]string { return [2]string{} },
	} {
		s := newShop(t, "sub", kptfile)
		d := configMap("d", "x: two", "y: ours")
		u := becomes(t, s.copied("sub", "v2", d), Options{Version: "v2"}, s.then("sub", "v2", d))
		if len(u.Packages) != 1 {
			t.Errorf("%d packages", len(u.Packages))
		}
	}
}

// TestDependencyDeletedUpstream removes an unchanged dependency that the package dropped, and keeps
// files that only the copy has.
func TestDependencyDeletedUpstream(t *testing.T) {
	s := newShop(t, "sub", func(dep string) [2]string { return [2]string{names("v1")(dep), ""} })
	want := s.then("sub", "v1", "")
	delete(want, "sub/Kptfile")
	delete(want, "sub/d.yaml")
	becomes(t, s.copied("sub", "v1", configMap("d", "x: one", "y: one")), Options{Version: "v2"}, want)
}

// TestDependencyOfAnotherStrategy merges a dependency by its own strategy, also in the merge of the
// outer package.
func TestDependencyOfAnotherStrategy(t *testing.T) {
	s := newShop(t, "sub", func(dep string) [2]string { return [2]string{names("v1")(dep), names("v2")(dep)} })
	local := s.copied("sub", "v1", configMap("d", "x: one", "y: ours"))
	becomes(t, local, Options{Version: "v2", Strategy: "copy-merge"}, func() texts {
		want := s.then("sub", "v2", configMap("d", "x: two", "y: ours"))
		want["Kptfile"] = strings.Replace(want["Kptfile"], "resource-merge", "copy-merge", 1)
		return want
	}())
	_, err := run(t, local, Options{Version: "v2", Strategy: "fast-forward"})
	if err != nil {
		t.Errorf("the dependency stops the package's fast-forward: %v", err)
	}
}

// TestKrmignore ignores files in a .krmignore on every side.
func TestKrmignore(t *testing.T) {
	repo, commits := repository(t,
		texts{"a.yaml": configMap("a", "x: one"), "gen/g.yaml": configMap("g", "x: one")},
		texts{"a.yaml": configMap("a", "x: two"), "gen/g.yaml": configMap("g", "x: two"), "gen/h.yaml": configMap("h", "x: two")})
	local := texts{
		"Kptfile": kptfileOf("a", repo, "/", "v1", commits[0], "resource-merge"), ".krmignore": "gen\n",
		"a.yaml": noted(configMap("a", "x: one"), "/a"),
	}
	becomes(t, local, Options{Version: "v2"}, texts{
		"Kptfile": kptfileOf("a", repo, "/", "v2", commits[1], "resource-merge"), ".krmignore": "gen\n",
		"a.yaml": noted(configMap("a", "x: two"), "/a"),
	})
}

// TestKrmignoreOfUpstream keeps the files that only upstream's new .krmignore lists.
func TestKrmignoreOfUpstream(t *testing.T) {
	repo, commits := repository(t,
		texts{"a.yaml": configMap("a", "x: one"), "gen/g.yaml": configMap("g", "x: one"), "run.sh": "one\n"},
		texts{".krmignore": "gen\n*.sh\n", "a.yaml": configMap("a", "x: two"), "gen/g.yaml": configMap("g", "x: two"), "run.sh": "two\n"})
	g := noted(configMap("g", "x: ours"), "/g")
	becomes(t, texts{
		"Kptfile": kptfileOf("a", repo, "/", "v1", commits[0], "resource-merge"), "a.yaml": noted(configMap("a", "x: one"), "/a"), "gen/g.yaml": g, "run.sh": "one\n",
	}, Options{Version: "v2"}, texts{
		"Kptfile": kptfileOf("a", repo, "/", "v2", commits[1], "resource-merge"), ".krmignore": "gen\n*.sh\n",
		"a.yaml": noted(configMap("a", "x: two"), "/a"), "gen/g.yaml": g, "run.sh": "one\n",
	})
}

func TestParseArgument(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("@scope/b@home", 0o755); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string][2]string{
		"": {".", ""}, "a/b": {"a/b", ""}, "a@v1": {"a", "v1"}, "@v1": {".", "v1"}, ".@dir/v1": {".", "dir/v1"},
		"@scope/b@home": {"@scope/b@home", ""}, "@scope/b@home@v1": {"@scope/b@home", "v1"}, "@scope": {"@scope", ""},
	} {
		dir, version, err := ParseArgument(arg)
		if diff := cmp.Diff(want, [2]string{dir, version}); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", arg, err, diff)
		}
	}
	for _, arg := range []string{"a@v1@v2", "a@"} {
		if _, _, err := ParseArgument(arg); err == nil {
			t.Errorf("%q is taken", arg)
		}
	}
}

func TestCheckClean(t *testing.T) {
	dir := t.TempDir()
	check := func() error {
		t.Helper()
		work, err := gitrepo.Git{}.Find(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return CheckClean(context.Background(), work, dir, true)
	}
	if err := check(); err != nil {
		t.Errorf("outside of a repository: %v", err)
	}
	runGit(t, dir, "init", "--quiet")
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := check()
	if dirty := (*DirtyError)(nil); !errors.As(err, &dirty) || !strings.HasSuffix(err.Error(), `contains uncommitted changes: "a" and 1 other file`) {
		t.Errorf("got %v", err)
	}
	runGit(t, dir, "add", "--all")
	runGit(t, dir, "commit", "--quiet", "--message=a")
	if err := check(); err != nil {
		t.Error(err)
	}
}

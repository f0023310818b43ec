package gitrepo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// upstream is a repository with two versions of a package, in all the ways to name
// one.
type upstream struct {
	dir           string
	first, second string
	old, new      map[string]string
}

func newUpstream(t *testing.T) upstream {
	t.Helper()
	isolate(t)
	u := upstream{dir: t.TempDir()}
	u.old = map[string]string{"Kptfile": "one\n", "bin/run*": "#!/bin/sh\n", "link": "->Kptfile", "deep/ä b.yaml": "a: 1\n"}
	u.new = map[string]string{"Kptfile": "two\n", "new.yaml": "a: 1"}
	u.first = commit(t, u.dir, under("deploy/web", u.old))
	runGit(t, u.dir, "tag", "v1")
	runGit(t, u.dir, "tag", "--annotate", "--message=a", "noted")
	runGit(t, u.dir, "rm", "-r", "--quiet", "deploy")
	u.second = commit(t, u.dir, under("deploy/web", u.new))
	runGit(t, u.dir, "tag", "deploy/web/v2")
	runGit(t, u.dir, "tag", "deploy/v3")
	runGit(t, u.dir, "branch", "topic/a")
	return u
}

func under(dir string, files map[string]string) map[string]string {
	moved := map[string]string{}
	for name, text := range files {
		moved[dir+"/"+name] = text
	}
	return moved
}

func (u upstream) at(ref string) Remote {
	return Remote{Repository: u.dir, Directory: "deploy/web", Ref: ref}
}

func TestFetch(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	noted := runGit(t, u.dir, "rev-parse", "noted")
	for _, test := range []struct {
		ref, name, id string
		files         map[string]string
	}{
		{"v1", "v1", u.first, u.old},
		{"refs/tags/v1", "refs/tags/v1", u.first, u.old},
		{"noted", "noted", noted, u.old},
		{noted, noted, noted, u.old},
		{"v2", "deploy/web/v2", u.second, u.new},
		{"deploy/web/v2", "deploy/web/v2", u.second, u.new},
		{"v3", "deploy/v3", u.second, u.new},
		{"main", "main", u.second, u.new},
		{"topic/a", "topic/a", u.second, u.new},
		{"refs/heads/topic/a", "refs/heads/topic/a", u.second, u.new},
		{"", "main", u.second, u.new},
		{u.first, u.first, u.first, u.old},
		{u.first[:7], u.first[:7], u.first, u.old},
		{"v1", "v1", u.first, u.old},
	} {
		version := fetch(t, g, u.at(test.ref))
		if version.Ref != test.name || version.ID != test.id {
			t.Errorf("%q is %s %s, want %s %s", test.ref, version.Ref, version.ID, test.name, test.id)
		}
		version.same(t, test.files)
	}
}

// The whole repository, a single file, and a file URL.
func TestFetchPlaces(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	fetch(t, g, Remote{Repository: "file://" + u.dir, Ref: "deploy/web/v2"}, Remote{}).same(t, under("deploy/web", u.new))
	fetch(t, g, Remote{Repository: u.dir, Directory: "deploy", Ref: "v1"}).same(t, under("web", u.old))
	fetch(t, g, Remote{Repository: u.dir, Directory: "deploy/web/new.yaml"}).same(t, map[string]string{"new.yaml": "a: 1"})
	t.Chdir(filepath.Dir(u.dir))
	fetch(t, g, Remote{Repository: filepath.Base(u.dir), Directory: "deploy/web"}).same(t, u.new)
}

// Of a URL in which nothing says where the repository ends, the longest that
// answers is meant.
func TestFetchTriesFromTheLongestPath(t *testing.T) {
	u := newUpstream(t)
	remotes, err := Parse("file://" + u.dir + "/deploy/web@v1")
	if err != nil {
		t.Fatal(err)
	}
	version := fetch(t, Git{Cache: t.TempDir()}, remotes...)
	version.same(t, u.old)
	if version.Repository != "file://"+u.dir || version.Directory != "deploy/web" {
		t.Errorf("got %v", version.Remote)
	}
	remotes, err = Parse("file://" + t.TempDir() + "/deploy")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Git{Cache: t.TempDir()}.Fetch(context.Background(), remotes...)
	refused(t, err, "no repository answers")
}

// TestFetchHead: HEAD is the default branch, as no version is.
func TestFetchHead(t *testing.T) {
	u, g := newUpstream(t), Git{Cache: t.TempDir()}
	want, got := fetch(t, g, u.at("")), fetch(t, g, u.at("HEAD"))
	if got.Remote != want.Remote || got.ID != want.ID {
		t.Errorf("got %v %s, want %v %s", got.Remote, got.ID, want.Remote, want.ID)
	}
}

func TestFetchErrors(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	gone := "0123456789012345678901234567890123456789"
	for _, test := range []struct {
		remote Remote
		want   string
	}{
		{u.at("v9"), `no branch, tag or commit "v9"; the nearest versions are v1`},
		{u.at("deadbeef"), `no branch, tag or commit "deadbeef", or there are several commits; the nearest versions are v1`},
		{u.at(gone), "not our ref"},
		{u.at("--upload-pack=touch /tmp/x"), "looks like an option"},
		{Remote{Repository: "--upload-pack=x"}, "looks like an option"},
		{Remote{Repository: u.dir, Directory: "deploy/other", Ref: "v1"}, errNoDirectory.Error()},
		{Remote{Repository: u.dir, Directory: "../x", Ref: "v1"}, "not below the top"},
		{Remote{Repository: u.dir + "/none", Ref: "v1"}, "does not appear to be a git repository"},
		{Remote{Repository: "ext::sh -c x", Ref: "v1"}, "helper of git"},
		{Remote{}, "names no repository"},
	} {
		_, err := g.Fetch(context.Background(), test.remote)
		refused(t, err, test.want)
	}
	empty := t.TempDir()
	runGit(t, empty, "init", "--quiet")
	_, err := g.Fetch(context.Background(), Remote{Repository: empty})
	refused(t, err, "no default branch")
}

// A commit that is in the cache needs no remote.
func TestFetchOfACommitInTheCache(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	fetch(t, g, u.at("v1"))
	if err := os.RemoveAll(filepath.Join(u.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	fetch(t, g, u.at(u.first)).same(t, u.old)
	_, err := g.Fetch(context.Background(), u.at("v1"))
	refused(t, err, "does not appear to be a git repository")
}

// Only the version that is asked for is fetched, without its history.
func TestFetchIsShallow(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	fetch(t, g, Remote{Repository: "file://" + u.dir, Ref: "main"})
	e, err := g.entry("file://" + u.dir)
	if err != nil {
		t.Fatal(err)
	}
	if e.has(context.Background(), u.first) || !e.has(context.Background(), u.second) {
		t.Error("the cache has more or less than what was asked for")
	}
}

// A ref that moved is read anew, and git's variables of a hook do not matter.
func TestFetchOfARefThatMoved(t *testing.T) {
	u := newUpstream(t)
	t.Setenv("GIT_DIR", t.TempDir())
	t.Setenv("KPT_CACHE_DIR", t.TempDir())
	fetch(t, Git{}, u.at("main")).same(t, u.new)
	if err := os.Unsetenv("GIT_DIR"); err != nil {
		t.Fatal(err)
	}
	third := commit(t, u.dir, under("deploy/web", map[string]string{"new.yaml": "a: 2"}))
	version := fetch(t, Git{}, u.at("main"))
	version.same(t, map[string]string{"Kptfile": "two\n", "new.yaml": "a: 2"})
	if version.ID != third {
		t.Errorf("got %s, want %s", version.ID, third)
	}
}

// A cache that is broken is made anew, however it is broken.
func TestFetchWithABrokenCache(t *testing.T) {
	u := newUpstream(t)
	for name, breakIt := range map[string]func(e *entry) error{
		"busy":       func(e *entry) error { return os.WriteFile(e.dir+".busy", nil, 0o600) },
		"no objects": func(e *entry) error { return os.RemoveAll(filepath.Join(e.dir, "objects")) },
		"no config":  func(e *entry) error { return os.Remove(filepath.Join(e.dir, "HEAD")) },
		"a file":     func(e *entry) error { return errors.Join(os.RemoveAll(e.dir), os.WriteFile(e.dir, nil, 0o600)) },
		"cut packs":  func(e *entry) error { return cutObjects(filepath.Join(e.dir, "objects")) },
	} {
		g := Git{Cache: t.TempDir()}
		fetch(t, g, u.at("v1"))
		e, err := g.entry(u.dir)
		if err == nil {
			err = breakIt(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{u.first, "v2", "v1"} {
			version, err := g.Fetch(context.Background(), u.at(ref))
			if err != nil {
				t.Errorf("%s: %s: %v", name, ref, err)
			} else if len(version.Files) == 0 {
				t.Errorf("%s: %s has no files", name, ref)
			}
		}
	}
}

// cutObjects takes the second half off every file of objects.
func cutObjects(dir string) error {
	return filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return errors.Join(os.Chmod(file, 0o600), os.Truncate(file, info.Size()/2))
	})
}

// Several runs may use one cache at once.
func TestFetchAtOnce(t *testing.T) {
	u := newUpstream(t)
	g := Git{Cache: t.TempDir()}
	var wait sync.WaitGroup
	for _, ref := range []string{"v1", "v2", "main", u.first, u.first[:9], "noted", "v1", "main"} {
		wait.Go(func() {
			version, err := g.Fetch(context.Background(), u.at(ref))
			if err != nil || len(version.Files) == 0 {
				t.Errorf("%s: %v", ref, err)
			}
		})
	}
	wait.Wait()
}

// A user and a password in a URL are in no error.
func TestFetchTellsNoSecret(t *testing.T) {
	isolate(t)
	g := Git{Cache: t.TempDir()}
	for _, repository := range []string{"https://me:s3cret@127.0.0.1:1/a.git", "git://s3cret@localhost:1/a"} {
		for _, ref := range []string{"v1", "", id('a', 40)} {
			_, err := g.Fetch(context.Background(), Remote{Repository: repository, Ref: ref})
			refused(t, err, ":1")
		}
	}
}

// TestPrefetch fetches several versions at once: then each can be read while the repository is gone.
func TestPrefetch(t *testing.T) {
	u := newUpstream(t)
	runGit(t, u.dir, "tag", "v1.0", "v1")
	ctx, end := Session(context.Background())
	defer end()
	gone := Remote{Repository: t.TempDir(), Ref: "v1"}
	if err := (Git{}).Prefetch(ctx, []string{"v1", "v1.0", "v2", "v3", "noted", "none"}, gone, u.at("")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(u.dir, u.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]int{"v1": len(u.old), "v1.0": len(u.old), "noted": len(u.old), "v2": len(u.new), "v3": len(u.new)} {
		version, err := Git{}.Fetch(ctx, u.at(ref))
		if err != nil || len(version.Files) != want {
			t.Errorf("%s: %v, want %d files", ref, err, want)
		}
	}
	_, err := Git{}.Fetch(ctx, u.at("none"))
	refused(t, err, `has no branch, tag or commit "none"`)
	_, err = Git{}.Fetch(context.Background(), u.at("v1"))
	refused(t, err, "does not")
}

// TestTags lists the versions of directories by the tags of their repository.
func TestTags(t *testing.T) {
	u := newUpstream(t)
	for dir, want := range map[string]string{
		"deploy/web": "noted v1 v2 v3", "deploy": "noted v1 v3 web/v2", "": "deploy/v3 deploy/web/v2 noted v1",
	} {
		got, err := Git{}.Tags(context.Background(), Remote{Repository: u.dir, Directory: dir})
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q has %q, %v; want %s", dir, got, err, want)
		}
	}
	_, err := Git{}.Tags(context.Background(), Remote{Repository: t.TempDir()}, Remote{Repository: t.TempDir() + "/gone"})
	refused(t, err, "does not appear to be a git repository")
}

package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// find is Git.Find of a name that must be in a repository.
func find(t *testing.T, name string) *WorkTree {
	t.Helper()
	w, err := Git{}.Find(context.Background(), name)
	if err != nil || w == nil {
		t.Fatalf("%s: %v, %v", name, w, err)
	}
	return w
}

func TestFind(t *testing.T) {
	isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	head := commit(t, dir, map[string]string{"a/b/c.yaml": "x", "link": "->a"})
	for name, want := range map[string]string{
		"": "", "a": "a", "a/b": "a/b", "a/b/c.yaml": "a/b/c.yaml", "a/gone/d": "a/gone/d", "a/../a": "a", "link/b": "a/b",
	} {
		w := find(t, filepath.Join(dir, name))
		if w.Top != dir || w.Name != want || w.Commit != head {
			t.Errorf("%s is %s of %s at %s", name, w.Name, w.Top, w.Commit)
		}
	}
	bogus := t.TempDir()
	write(t, bogus, map[string]string{".git/x": "no repository"})
	for _, name := range []string{bogus, t.TempDir(), filepath.Join(dir, ".git"), filepath.Join(dir, ".git", "refs")} {
		if w, err := (Git{}).Find(context.Background(), name); w != nil || err != nil {
			t.Errorf("%s: %v, %v", name, w, err)
		}
	}
	unborn := t.TempDir()
	runGit(t, unborn, "init", "--quiet")
	if w := find(t, unborn); w.Commit != "" {
		t.Errorf("a repository without commits has %q", w.Commit)
	}
}

func TestChanges(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	commit(t, dir, map[string]string{
		"p/a": "1", "p/b": "1", "p/c": "1", "p/d": "1", "p/.gitignore": "*.log\n", "q/a": "1", "p/*x": "1", "p/r": "1",
	})
	clean := func(name string, want ...string) {
		t.Helper()
		got, err := find(t, filepath.Join(dir, name)).Changes(context.Background(), true)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	write(t, dir, map[string]string{"p/x.log": "ignored"})
	clean("")
	write(t, dir, map[string]string{"p/a": "2", "p/new/ä\n": "2", "p/b": "2"})
	runGit(t, dir, "add", "p/b")
	runGit(t, dir, "mv", "p/r", "p/s")
	if err := os.Remove(filepath.Join(dir, "p/c")); err != nil {
		t.Fatal(err)
	}
	clean("q")
	clean("p/*x")
	clean("p/a", "p/a")
	clean("p", "p/a", "p/b", "p/c", "p/r", "p/s", "p/new/ä\n")
	clean("", "p/a", "p/b", "p/c", "p/r", "p/s", "p/new/ä\n")
}

func TestRevision(t *testing.T) {
	u := newUpstream(t)
	for revision, want := range map[string]map[string]string{
		"v1": u.old, "HEAD~1": u.old, "noted": u.old, u.first[:8]: u.old, "main": u.new, "deploy/v3": u.new, "@": u.new,
	} {
		version, err := find(t, filepath.Join(u.dir, "deploy", "web")).Revision(context.Background(), revision)
		if err != nil {
			t.Errorf("%s: %v", revision, err)
			continue
		}
		version.same(t, want)
	}
	version, err := find(t, filepath.Join(u.dir, "deploy/web/link")).Revision(context.Background(), "v1")
	if err != nil {
		t.Fatal(err)
	}
	version.same(t, map[string]string{"link": "->Kptfile"})
	for revision, want := range map[string]string{
		"v9": "no revision", "--all": "looks like an option", "": "is not allowed", "HEAD:deploy": "is not allowed", "a\x00": "is not allowed",
	} {
		_, err := find(t, u.dir).Revision(context.Background(), revision)
		refused(t, err, want)
	}
	_, err = find(t, filepath.Join(u.dir, "other")).Revision(context.Background(), "v1")
	refused(t, err, errNoDirectory.Error())
}

// A version has the line ends that a checkout of it would have.
func TestRevisionHasTheLineEndsOfACheckout(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	commit(t, dir, map[string]string{
		".gitattributes": "*.txt eol=crlf\n*.id ident\n", "p/a.txt": "1\n2\n", "p/b.yaml": "1\n", "p/c.id": "$Id$\n",
		"p/.gitattributes": "*.cmd eol=crlf\n", "p/q/d.cmd": "1\n\n", "p/e\nf.cmd": "1\n", "p/empty": "",
	})
	commit(t, dir, map[string]string{".gitattributes": "", "p/.gitattributes": ""})
	want := map[string]string{
		"a.txt": "1\r\n2\r\n", "b.yaml": "1\n", "c.id": "",
		".gitattributes": "*.cmd eol=crlf\n", "q/d.cmd": "1\r\n\r\n", "e\nf.cmd": "1\r\n", "empty": "",
	}
	want["c.id"] = "$Id: " + runGit(t, dir, "rev-parse", "HEAD:p/c.id") + " $\n"
	version, err := find(t, filepath.Join(dir, "p")).Revision(context.Background(), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	version.same(t, want)
	fetch(t, Git{Cache: t.TempDir()}, Remote{Repository: dir, Directory: "p", Ref: runGit(t, dir, "rev-parse", "HEAD~1")}).same(t, want)
}

// A version is read without a checkout only where a checkout writes its files as they are, and is the same then.
func TestVersionsThatAreNotCheckedOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("git for Windows changes line ends by default")
	}
	files := map[string]string{
		"p/a.txt": "1\n2\n", "p/q/b.txt": "$Id$\r\n", "p/run*": "#!/bin/sh\n", "p/link": "->a.txt", "p/empty": "", "other/x": "1",
		".gitattributes": "* text=auto\n*.yaml merge=resource-merge diff\n", "p/.gitignore": "x\n",
	}
	for name, test := range map[string]struct {
		add     map[string]string
		set     func(dir string)
		isPlain bool
	}{
		"as it is":           {isPlain: true},
		"autocrlf input":     {set: func(dir string) { runGit(t, dir, "config", "core.autocrlf", "input") }, isPlain: true},
		"autocrlf":           {set: func(dir string) { runGit(t, dir, "config", "core.autocrlf", "true") }},
		"autocrlf, no value": {set: func(dir string) { write(t, dir, map[string]string{".git/config": "[core]\n\tautocrlf\n"}) }},
		"eol":                {set: func(dir string) { runGit(t, dir, "config", "core.eol", "crlf") }},
		"the repository's":   {set: func(dir string) { write(t, dir, map[string]string{".git/info/attributes": "*.txt ident\n"}) }},
		"the user's": {set: func(string) {
			write(t, os.Getenv("HOME"), map[string]string{".config/git/attributes": "*.txt eol=crlf\n"})
		}},
		"the user's, harmless": {set: func(string) {
			write(t, os.Getenv("HOME"), map[string]string{".config/git/attributes": "*.pdf diff=pdf\n"})
		}, isPlain: true},
		"the user's file": {set: func(dir string) {
			write(t, os.Getenv("HOME"), map[string]string{"mine": "*.txt eol=crlf\n"})
			runGit(t, dir, "config", "core.attributesFile", "~/mine")
		}},
		"above the directory": {add: map[string]string{".gitattributes": "*.txt eol=crlf\n"}},
		"below the directory": {add: map[string]string{"p/q/.gitattributes": "*.txt ident\n"}},
		"beside it":           {add: map[string]string{"other/.gitattributes": "*.txt ident\n"}, isPlain: true},
		"an odd name":         {add: map[string]string{"p/ä.txt": "1\n"}},
	} {
		isolate(t)
		dir := t.TempDir()
		commit(t, dir, files)
		id := commit(t, dir, test.add)
		if test.set != nil {
			test.set(dir)
		}
		w := find(t, filepath.Join(dir, "p"))
		version := tree{repository: w.repository(), commit: id, dir: "p"}
		var got, want Version
		err := w.repository().read(context.Background(), func(r *reader) error { return version.readPlain(r, &got) })
		if (err == nil) != test.isPlain {
			t.Errorf("%s: without a checkout: %v", name, err)
		}
		if err := version.checkOut(context.Background(), &want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s", name, cmp.Diff(texts(want.Files), texts(got.Files)))
		}
	}
}

// Submodules are named and not read.
func TestSubmodulesAreNotRead(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	head := commit(t, dir, map[string]string{"p/a": "1"})
	runGit(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+head+",p/sub")
	runGit(t, dir, "commit", "--quiet", "--message=b")
	version := fetch(t, Git{Cache: t.TempDir()}, Remote{Repository: dir, Directory: "p"})
	version.same(t, map[string]string{"a": "1"})
	if len(version.Submodules) != 1 || version.Submodules[0] != "sub" {
		t.Errorf("submodules %v", version.Submodules)
	}
}

// A tree that somebody made by hand has no file outside of it.
func TestTreeWithNamesThatLeadOut(t *testing.T) {
	for _, name := range []string{"..", "a/../b", "/a", ".git/config", "a/.GIT/hooks/x", "", "a//b", "."} {
		if checkName(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
	for _, name := range []string{"a", ".gitignore", "a/..b", "a\nb", ".github/x"} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
}

// TestObjectsWithLineBreaks: a name with a line break is asked for as another one is.
func TestObjectsWithLineBreaks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no name of a file has a line break there")
	}
	isolate(t)
	dir := t.TempDir()
	head := commit(t, dir, map[string]string{"a\nb.yaml": "1", "c\r": "2", "d": "3"})
	objects, err := find(t, dir).Objects(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := objects.Ask(head+":d", head+":a\nb.yaml", head+":none\n", head+":c\r"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3", "1", "", "2"} {
		if o, err := objects.Next(); err != nil || string(o.Data) != want {
			t.Errorf("%q, %v; want %q", o.Data, err, want)
		}
	}
	if err := objects.Close(); err != nil {
		t.Error(err)
	}
}

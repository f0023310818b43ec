package e2e

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUpdateCommand has kpt and `resource-merge update` update the same copy of a
// package, from repositories on this machine, and compares all files, Kptfiles and
// locks included. A difference that is not listed fails, and so does a listed one
// that does not occur. Then each updates the other's result to a next version: the
// results are the same.
func TestUpdateCommand(t *testing.T) {
	for _, s := range updateScenarios() {
		if s.dir == "" {
			s.dir = "/pkg"
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// scenario is an update of a copy.
type scenario struct {
	name string
	// versions are the repository's, with the tags v1, v2 and so on. The copy is of v1,
	// unless get says another version.
	versions []tree
	// refs makes other branches and tags.
	refs func(t *testing.T, repo string)
	// get is the version that is copied, dir the directory of the package, by default
	// pkg.
	get, dir string
	// edit makes the user's changes in the copy, and more makes later changes in the
	// repository.
	edit func(t *testing.T, u updated)
	more func(t *testing.T, repo string)
	// pkg is the package below the copy that is updated, version is @v2 unless there is
	// one, args are more arguments.
	pkg, version string
	args         []string
	// uncommitted says that the copy is not committed after the edit.
	uncommitted bool
	want        []intended
	// refused is a part of our error, and kptRefuses says that kpt fails, too.
	refused    string
	kptRefuses bool
	// kptFails says that kpt alone fails; then has are files that ours makes.
	kptFails bool
	has      tree
	// ends says that there is no version after the update.
	ends bool
	// dep are versions of another repository, @DEP@ in the versions, whose commits are
	// @DEPv1@ and so on; depRefs and moreDep are its refs and more.
	dep              []tree
	depRefs, moreDep func(t *testing.T, repo string)
}

// updated is a copy that is to be updated.
type updated struct {
	repo, dep, dir string
}

func (s scenario) run(t *testing.T) {
	u := s.prepare(t)
	kpt, ours := u.copied(t), u.copied(t)
	arg := s.pkg + s.at()
	kptArgs := append([]string{"pkg", "update", "." + arg}, s.args...)
	oursArgs := append([]string{"update", "." + arg}, s.args...)
	if s.pkg != "" {
		kptArgs[2], oursArgs[1] = arg, arg
	}
	if s.refused != "" {
		before := readTree(t, ours).without(".git")
		fail(t, s.refused, ours, "resource-merge", oursArgs...)
		before.check(t, ours, ".git")
		if out := run(t, kpt, "", "kpt", kptArgs...); (out.err != nil) != s.kptRefuses {
			t.Errorf("kpt: %v", out.err)
		}
		return
	}
	if s.kptFails {
		succeed(t, ours, "", "resource-merge", oursArgs...)
		if out := run(t, kpt, "", "kpt", kptArgs...); out.err == nil {
			t.Error("kpt does not fail any more")
		}
		for name, text := range readTree(t, ours).without(".git") {
			if want, listed := s.has[name]; listed && text != want {
				t.Errorf("%s is\n%s", name, text)
			}
		}
		return
	}
	succeed(t, kpt, "", "kpt", kptArgs...)
	succeed(t, ours, "", "resource-merge", oursArgs...)
	got := differences(t, readTree(t, kpt).without(".git"), readTree(t, ours).without(".git"))
	got = slices.DeleteFunc(got, isIdentityOfOwn)
	checkDifferences(t, got, s.want, map[string]int{})
	if !s.ends {
		s.oneVersionLater(t, u.repo, kpt, ours)
	}
}

// isIdentityOfOwn reports whether kpt alone wrote an identity into a resource called own, which is the copy's own
// (rules/update: merge comments).
func isIdentityOfOwn(d difference) bool {
	return d.ours == absent && (strings.HasSuffix(d.at, " ConfigMap own .metadata#") && strings.HasPrefix(d.kpt, `"# kpt-merge: `) ||
		strings.HasSuffix(d.at, " ConfigMap own .metadata.annotations") && strings.HasPrefix(d.kpt, `{"internal.kpt.dev/upstream-identifier":`))
}

func (s scenario) at() string {
	switch s.version {
	case "":
		return "@v2"
	case "none":
		return ""
	}
	return s.version
}

// prepare makes the repository and the copy.
func (s scenario) prepare(t *testing.T) updated {
	t.Helper()
	base := t.TempDir()
	u := updated{repo: filepath.Join(base, "upstream.git"), dep: filepath.Join(base, "dep.git"), dir: filepath.Join(base, "copy")}
	places := []string{"@REPO@", strings.TrimSuffix(u.repo, ".git"), "@DEP@", strings.TrimSuffix(u.dep, ".git")}
	if s.dep != nil {
		repositoryAt(t, u.dep, s.dep...)
		for i := range s.dep {
			tag := fmt.Sprintf("v%d", i+1)
			places = append(places, "@DEP"+tag+"@", git(t, u.dep, "rev-parse", tag))
		}
		if s.depRefs != nil {
			s.depRefs(t, u.dep)
		}
	}
	var versions []tree
	for _, version := range s.versions {
		placed := tree{}
		for name, text := range version {
			placed[name] = strings.NewReplacer(places...).Replace(text)
		}
		versions = append(versions, placed)
	}
	repositoryAt(t, u.repo, versions...)
	if s.refs != nil {
		s.refs(t, u.repo)
	}
	version := s.get
	if version == "" {
		version = "v1"
	}
	succeed(t, filepath.Dir(u.dir), "", "kpt", "pkg", "get", fmt.Sprintf("file://%s%s@%s", u.repo, strings.TrimSuffix(s.dir, "/"), version), "copy")
	if s.edit != nil {
		s.edit(t, u)
	}
	if s.more != nil {
		s.more(t, u.repo)
	}
	if s.moreDep != nil {
		s.moreDep(t, u.dep)
	}
	if !s.uncommitted {
		commitAll(t, u.dir)
	}
	return u
}

// copied is a copy of the copy.
func (u updated) copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(u.dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// oneVersionLater publishes a version in which every ConfigMap has one more field, and
// has each program update the other's result.
func (s scenario) oneVersionLater(t *testing.T, repo, kpt, ours string) {
	t.Helper()
	work := filepath.Join(t.TempDir(), "later")
	git(t, "", "clone", "--quiet", repo, work)
	git(t, work, "checkout", "--quiet", "--detach", fmt.Sprintf("v%d", len(s.versions)))
	files := tree{}
	for name, text := range readTree(t, work).without(".git") {
		files[name] = text
		if strings.HasSuffix(name, ".yaml") {
			files[name] = strings.ReplaceAll(text, "data:\n", "data:\n  later: \"yes\"\n")
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, work, "commit", "--quiet", "--all", "--message=later")
	git(t, work, "tag", "later")
	git(t, work, "push", "--quiet", "--tags")
	at := s.pkg + "@later"
	if s.pkg == "" {
		at = ".@later"
	}
	for _, dir := range []string{kpt, ours} {
		git(t, dir, "add", "--all")
		git(t, dir, "commit", "--quiet", "--allow-empty", "--message=updated")
	}
	succeed(t, kpt, "", "resource-merge", "update", at)
	succeed(t, ours, "", "kpt", "pkg", "update", at)
	for program, dir := range map[string]string{"ours after kpt's": kpt, "kpt's after ours": ours} {
		kptfile := readTree(t, filepath.Join(dir, s.pkg))["Kptfile"]
		if !strings.Contains(kptfile, "ref: later") || !strings.Contains(kptfile, "commit: "+git(t, repo, "rev-parse", "later")) {
			t.Errorf("%s: the Kptfile is not at the later version:\n%s", program, kptfile)
		}
		for name, text := range readTree(t, filepath.Join(dir, s.pkg)).without(".git") {
			if strings.Contains(files[path.Join(s.dir[1:], name)], "later: ") && !strings.Contains(text, "later: ") {
				t.Errorf("%s: %s has not what the later version brings:\n%s", program, name, text)
			}
		}
	}
}

// edits are files that the user wrote into the copy; "" deletes one.
func edits(files tree) func(*testing.T, updated) {
	return func(t *testing.T, u updated) {
		t.Helper()
		for name, text := range files {
			file := filepath.Join(u.dir, name)
			err := os.MkdirAll(filepath.Dir(file), 0o755)
			if text == "" {
				err = os.RemoveAll(file)
			} else if err == nil {
				err = os.WriteFile(file, []byte(text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// replaces are replacements of text in files of the copy: of a file, old and new in
// turn.
func replaces(file string, oldnew ...string) func(*testing.T, updated) {
	return func(t *testing.T, u updated) {
		t.Helper()
		name := filepath.Join(u.dir, file)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(oldnew...).Replace(string(data))
		if text == string(data) {
			t.Fatalf("%s has not %q:\n%s", file, oldnew[0], data)
		}
		edits(tree{file: text})(t, u)
	}
}

// all does several edits.
func allEdits(some ...func(*testing.T, updated)) func(*testing.T, updated) {
	return func(t *testing.T, u updated) {
		t.Helper()
		for _, edit := range some {
			edit(t, u)
		}
	}
}

// changed is a tree with other files; "" deletes one.
func (files tree) changed(others tree) tree {
	all := maps.Clone(files)
	for name, text := range others {
		all[name] = text
		if text == "" {
			delete(all, name)
		}
	}
	return all
}

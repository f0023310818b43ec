package tests

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// checkGit has git merge the assignment with the driver, and once more without it, for git solve.
// Each leaves the text that the driver makes of the three versions, and the exit code says
// whether it has conflicts. Where only one side changed the file, git asks no driver.
func (a assignment) checkGit(t *testing.T, tally map[string]int) {
	t.Helper()
	o, u, l := a.files(0)["a.yaml"], a.files(1)["a.yaml"], a.files(2)["a.yaml"]
	if l == "" || o == u || o == l || u == l {
		return
	}
	m, err := ways.Drive(t.Context(), "a.yaml", a.pkg())
	if err != nil {
		t.Fatal(err)
	}
	if m.Unchecked == ways.LeftToGit {
		return
	}
	r := gitMerge{T: t, name: a.name, dir: t.TempDir(), want: m.Result["a.yaml"], conflicts: m.Conflicts > 0}
	r.branches(a)
	r.run("git", "install")
	_, code := r.git("merge", "--quiet", "--no-edit", "theirs")
	r.is("git merge with the driver", code)
	tally["driver"]++
	if r.conflicts {
		tally["driver left conflicts"]++
		r.solve("git solve after the driver")
	}
	r.must("reset", "--quiet", "--hard", "before")
	r.must("config", "--remove-section", "merge.resource-merge")
	if _, code := r.git("merge", "--quiet", "--no-edit", "theirs"); code == 0 {
		return
	}
	r.solve("git solve")
	if tally["solved"]++; r.conflicts {
		tally["solve left conflicts"]++
	}
}

// gitMerge is a merge in a git repository, with the wanted result.
type gitMerge struct {
	*testing.T
	name, dir string
	want      string // the file
	conflicts bool
}

// git runs git in the repository.
func (r gitMerge) git(args ...string) (said string, code int) {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// run runs resource-merge in the repository.
func (r gitMerge) run(args ...string) (code int) {
	r.Helper()
	cmd := commandOf("", args...)
	cmd.Dir = r.dir
	if err := cmd.Run(); cmd.ProcessState == nil {
		r.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// must runs git, which has to succeed.
func (r gitMerge) must(args ...string) string {
	r.Helper()
	out, code := r.git(args...)
	if code != 0 {
		r.Fatalf("%s: git %q: %s", r.name, args, out)
	}
	return out
}

// branches makes the branches ours, which is checked out, and theirs. The tag before is ours
// before it is merged.
func (r gitMerge) branches(a assignment) {
	r.Helper()
	r.must("init", "--quiet", "--initial-branch=ours")
	write(r.T, filepath.Join(r.dir, ".gitattributes"), "*.yaml merge=resource-merge -text\n")
	r.commit(a.files(0))
	r.must("switch", "--quiet", "--create", "theirs")
	r.commit(a.files(1))
	r.must("switch", "--quiet", "ours")
	r.commit(a.files(2))
	r.must("tag", "before")
}

// commit commits files.
func (r gitMerge) commit(files map[string]string) {
	r.Helper()
	writeTree(r.T, r.dir, files)
	r.must("add", "--all")
	r.must("commit", "--quiet", "--allow-empty", "--message=version")
}

// is checks the file, labels of markers aside, and an exit code.
func (r gitMerge) is(what string, code int) {
	r.Helper()
	labels := regexp.MustCompile(`(?m)^(<<<<<<<|\|\|\|\|\|\|\||>>>>>>>) .*`)
	got := treeOfFiles(r.T, r.dir)["a.yaml"]
	if labels.ReplaceAllString(got, "$1") != labels.ReplaceAllString(r.want, "$1") || code != map[bool]int{true: 1}[r.conflicts] {
		r.Errorf("%s: %s gives exit code %d and\n%s\nthe driver itself, conflicts %v, gives\n%s", r.name, what, code, got, r.conflicts, r.want)
	}
}

// solve runs git solve, which leaves the file unmerged exactly where it has conflicts.
func (r gitMerge) solve(what string) {
	r.Helper()
	r.is(what, r.run("git", "solve"))
	if unmerged := r.must("diff", "--name-only", "--diff-filter=U"); unmerged != "" != r.conflicts {
		r.Errorf("%s: %s leaves %q unmerged, conflicts %v", r.name, what, unmerged, r.conflicts)
	}
}

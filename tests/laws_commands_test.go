package tests

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestLawCommands runs cases of testdata through the commands. What comes out has the bytes that
// TestLawWays and TestLawCases check, and the exit code is 1 exactly where a conflict is marked,
// left or failing. So their law holds for each way out:
//
//   - merge with --write, -o, --diff and git apply, and on stdout;
//   - update, from a repository;
//   - the function, as a process;
//   - git merge with the driver that git install tells git of;
//   - git solve, after a merge that git alone left in conflict.
func TestLawCommands(t *testing.T) {
	inCommands(t)
	tally := map[string]int{}
	all := cases(t)
	every, policies := 60*seed.Step(6), 2/seed.Step(2)
	switch n := seed.Checks(); {
	case n >= wholeRun:
		every, policies = 1, 5
	case n >= wholeCases:
		every, policies = 5, 5
	case n > 100:
		every, policies = 20, 5
	}
	for i := 0; i < len(all); i += every {
		t.Run(all[i].Name, func(t *testing.T) {
			of := assignments(all[i])
			for _, j := range drawnAssignments(t, i/every) {
				a := of[j]
				if waysExempt(t, all[i].Name, a) != "" || len(a.docs[0]) == 0 || len(a.docs[1]) == 0 {
					continue
				}
				a.name += " of " + all[i].Name
				repository := a.upstreamRepository(t)
				for n := range policies {
					policy := []string{"mark", "upstream", "local", "union", "fail"}[(i/every+n*(1+i/every%4))%5]
					a.checkMerge(t, policy, repository, tally)
					a.checkFunction(t, policy, tally)
				}
				a.checkGit(t, tally)
			}
		})
	}
	t.Log(tally)
	wanted := []string{"merged", "updated", "function", "driver"}
	if policies > 2 { // a plain run is too small to meet each of these whichever cases there are
		wanted = append(wanted, "solved", "conflicts", "function fails", "driver left conflicts", "solve left conflicts")
	}
	for _, what := range wanted {
		if tally[what] == 0 {
			t.Errorf("did not occur: %s", what)
		}
	}
}

// wholeRun is the number of checks that asks for every case in every assignment.
const wholeRun = 1000

// drawnAssignments are the assignments of the nth case that is run: two of the six that have
// three different versions, and any one; in a whole run all.
func drawnAssignments(t *testing.T, n int) (out []int) {
	t.Helper()
	different := [6]int{5, 7, 11, 15, 19, 21}
	for j := range 27 {
		if seed.Checks() >= wholeRun || j == different[n%6] || j == different[(n+1+n/6%5)%6] || j == 5*n%27 {
			out = append(out, j)
		}
	}
	return out
}

// inCommands has git, and the commands that it starts, see nothing of the user's configuration,
// and find resource-merge.
func inCommands(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "resource-merge")); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PATH": bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "RESOURCE_MERGE_AS_COMMAND": "1", "KPT_CACHE_DIR": t.TempDir(),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "me", "GIT_AUTHOR_EMAIL": "me@example.com", "GIT_COMMITTER_NAME": "me", "GIT_COMMITTER_EMAIL": "me@example.com",
	} {
		t.Setenv(name, value)
	}
}

// checkMerge merges an assignment through each output of the command merge and, unless its
// upstream is in no repository, through update.
func (a assignment) checkMerge(t *testing.T, policy, repository string, tally map[string]int) {
	t.Helper()
	work := t.TempDir()
	for side, name := range [3]string{"o", "u", "l"} {
		writeTree(t, filepath.Join(work, name), a.files(side))
	}
	run := func(local string, more ...string) (out string, code int) {
		args := append([]string{"merge", "--origin", filepath.Join(work, "o"), "--upstream", filepath.Join(work, "u"), "--local", local, "--conflicts", policy, "--adopt", ""}, more...)
		out, _, code = runCommand(t, "", args...)
		return out, code
	}
	report := filepath.Join(work, "report.json")
	wanted := filepath.Join(work, "out")
	_, code := run(filepath.Join(work, "l"), "-o", wanted, "--report", "json="+report)
	var said struct{ Summary struct{ Conflicts int } }
	text, err := os.ReadFile(report)
	if err != nil {
		return // an error of the input
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	tally["merged"]++
	tally["conflicts"] += said.Summary.Conflicts
	left := said.Summary.Conflicts > 0 && (policy == "mark" || policy == "fail")
	if want := map[bool]int{true: 1}[left]; code != want {
		t.Errorf("%s under %s: exit code %d with %d conflicts", a.name, policy, code, said.Summary.Conflicts)
	}
	want := treeOfFiles(t, wanted)
	if policy != "fail" {
		checked, err := ways.Merge(t.Context(), policy, a.pkg())
		if err != nil || !maps.Equal(checked[0].Result, want) || policy == ways.Mark && left != (checked[0].Conflicts > 0) {
			t.Errorf("%s under %s: -o gives exit code %d and\n%q\nthe merge %d conflicts and\n%q\n%v", a.name, policy, code, want, checked[0].Conflicts, checked[0].Result, err)
		}
	}
	if policy == "fail" && left {
		want = treeOfFiles(t, filepath.Join(work, "l"))
	}
	for _, output := range []string{"--write", "--diff"} {
		local := filepath.Join(work, "copy"+output)
		writeTree(t, local, a.files(2))
		diff, got := run(local, output, "--force")
		if output == "--diff" && got == code && diff != "" {
			apply := exec.Command("git", "apply", "--whitespace=nowarn", "-")
			apply.Dir, apply.Stdin = local, strings.NewReader(diff)
			if out, err := apply.CombinedOutput(); err != nil {
				t.Errorf("%s under %s: git apply: %v\n%s\nof\n%s", a.name, policy, err, out, diff)
			}
		}
		if files := treeOfFiles(t, local); got != code || !maps.Equal(files, want) {
			t.Errorf("%s under %s: %s gives exit code %d and\n%q\n-o gives %d and\n%q", a.name, policy, output, got, files, code, want)
		}
	}
	if out, got := run(filepath.Join(work, "l")); got != code || policy != "fail" && len(want) == 1 && out != want["a.yaml"] {
		t.Errorf("%s under %s: stdout gives exit code %d and\n%s\n-o gives %d and\n%s", a.name, policy, got, out, code, want["a.yaml"])
	}
	a.checkUpdate(t, policy, repository, code, want, tally)
}

// upstreamRepository is a repository that has origin as v1, and upstream as v2.
func (a assignment) upstreamRepository(t *testing.T) string {
	t.Helper()
	r := gitMerge{T: t, name: a.name, dir: t.TempDir()}
	r.must("init", "--quiet")
	for side, tag := range [2]string{"v1", "v2"} {
		r.commit(a.files(side))
		r.must("tag", tag)
	}
	return r.dir
}

// checkUpdate updates a package to upstream. It comes out as from merge, but for the merge
// comments and identifiers that kpt writes.
func (a assignment) checkUpdate(t *testing.T, policy, repository string, code int, want map[string]string, tally map[string]int) {
	t.Helper()
	local := t.TempDir()
	writeTree(t, local, a.files(2))
	commit := strings.TrimSpace(gitMerge{T: t, dir: repository}.must("rev-parse", "v1"))
	from := "    repo: file://" + repository + "\n    directory: /\n    ref: v1\n"
	write(t, filepath.Join(local, "Kptfile"), "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: local\nupstream:\n  type: git\n  git:\n"+from+
		"upstreamLock:\n  type: git\n  git:\n"+from+"    commit: "+commit+"\n")
	_, said, got := runCommand(t, "", "update", local+"@v2", "--conflicts", policy, "--adopt", "", "--force")
	files := treeOfFiles(t, local)
	if kptfile := files["Kptfile"]; strings.Contains(kptfile, "ref: v2") != (policy != "fail" || code == 0) {
		t.Errorf("%s under %s: update gives exit code %d, and the Kptfile\n%s\n%s", a.name, policy, got, kptfile, said)
	}
	delete(files, "Kptfile")
	byKpt := regexp.MustCompile(`(?m)^ *annotations: \{\n *internal.kpt.dev/upstream-identifier: .*\n *\},\n|^ *# kpt-merge: .*\n| *# kpt-merge: \S*|, "?annotations"?: \{"?internal.kpt.dev/upstream-identifier"?: "[^"]*"\}|^ *annotations:\n|^ *internal.kpt.dev/upstream-identifier: .*\n`)
	for _, tree := range []map[string]string{files, want} {
		for name, text := range tree {
			tree[name] = byKpt.ReplaceAllString(text, "")
		}
	}
	if got != code || !maps.Equal(files, want) {
		t.Errorf("%s under %s: update gives exit code %d and\n%q\nmerge gives %d and\n%q\n%s", a.name, policy, got, files, code, want, said)
	}
	tally["updated"]++
}

// checkFunction runs the function as a process.
func (a assignment) checkFunction(t *testing.T, policy string, tally map[string]int) {
	t.Helper()
	if policy == "mark" { // a ResourceList has no place for markers
		return
	}
	list := a.under(policy).list(t)
	want, err := command.Function(list)
	out, _, code := runCommand(t, string(list))
	if out != string(want) || code != map[bool]int{true: 1}[err != nil] {
		t.Errorf("%s: the function gives exit code %d and\n%s\nwant (%v)\n%s", a.name, code, out, err, want)
	}
	tally["function"]++
	if err != nil {
		tally["function fails"]++
	}
}

// under is an assignment whose function config has a policy.
func (a assignment) under(policy string) assignment {
	a.config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {prefer: " + policy + "}\n"
	return a
}

// writeTree writes files into a directory, which it makes.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
}

// treeOfFiles are the files of a directory by name, none if it is not there.
func treeOfFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".git") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

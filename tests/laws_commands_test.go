package tests

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLawCommands runs cases of testdata through the commands: every output of merge says the
// same. What --write, -o and --diff with git apply leave in local's directory, and what stdout
// has, are the same bytes, with the same exit code; and the exit code is 1 exactly where the
// report counts a conflict that is marked, left or failing. So the law of TestLawWays, which looks
// at the merge itself, holds for each way out.
func TestLawCommands(t *testing.T) {
	dirs := caseDirs(t)
	every := 12
	if budget(27) == 27 { // a longer run
		every = 5
	}
	merged, conflicts := 0, 0
	for i := 0; i < len(dirs); i += every {
		for j, a := range assignments(t, dirs[i]) {
			if (i+j)%9 != 5 || waysExempt(t, dirs[i], a) != "" || len(a.docs[0]) == 0 || len(a.docs[1]) == 0 {
				continue
			}
			for _, policy := range []string{"mark", "upstream", "local", "union", "fail"} {
				n := a.checkCommands(t, policy)
				if n >= 0 {
					merged++
					conflicts += n
				}
			}
		}
	}
	if merged < 50 || conflicts == 0 {
		t.Errorf("%d merges with %d conflicts", merged, conflicts)
	}
}

// checkCommands merges an assignment through each output, and counts the conflicts; -1 if it
// is no input for merge.
func (a assignment) checkCommands(t *testing.T, policy string) (conflicts int) {
	t.Helper()
	work := t.TempDir()
	for side, name := range [3]string{"o", "u", "l"} {
		if err := os.MkdirAll(filepath.Join(work, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range a.files(side) {
			write(t, filepath.Join(work, name, file), text)
		}
	}
	run := func(local string, more ...string) (out string, code int) {
		args := append([]string{"merge", "--origin", filepath.Join(work, "o"), "--upstream", filepath.Join(work, "u"), "--local", local, "--conflicts", policy}, more...)
		out, _, code = command(t, "", args...)
		return out, code
	}
	report := filepath.Join(work, "report.json")
	wanted := filepath.Join(work, "out")
	_, code := run(filepath.Join(work, "l"), "-o", wanted, "--report", "json="+report)
	var said struct{ Summary struct{ Conflicts int } }
	text, err := os.ReadFile(report)
	if err != nil {
		return -1 // an error of the input
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	conflicts = said.Summary.Conflicts
	left := conflicts > 0 && (policy == "mark" || policy == "fail")
	if want := map[bool]int{true: 1}[left]; code != want {
		t.Errorf("%s under %s: exit code %d with %d conflicts", a.name, policy, code, conflicts)
	}
	want := treeOfFiles(t, wanted)
	for _, output := range []string{"--write", "--diff"} {
		local := filepath.Join(work, "copy"+output)
		if err := os.CopyFS(local, os.DirFS(filepath.Join(work, "l"))); err != nil {
			t.Fatal(err)
		}
		diff, got := run(local, output, "--force")
		if output == "--diff" && got == code && diff != "" {
			apply := exec.Command("git", "apply", "--whitespace=nowarn", "-")
			apply.Dir, apply.Stdin = local, strings.NewReader(diff)
			if out, err := apply.CombinedOutput(); err != nil {
				t.Errorf("%s under %s: git apply: %v\n%s\nof\n%s", a.name, policy, err, out, diff)
			}
		}
		if policy == "fail" && left {
			want = treeOfFiles(t, filepath.Join(work, "l"))
		}
		if files := treeOfFiles(t, local); got != code || !maps.Equal(files, want) {
			t.Errorf("%s under %s: %s gives exit code %d and\n%q\n-o gives %d and\n%q", a.name, policy, output, got, files, code, want)
		}
	}
	if out, got := run(filepath.Join(work, "l")); got != code || policy != "fail" && len(want) == 1 && out != want["a.yaml"] {
		t.Errorf("%s under %s: stdout gives exit code %d and\n%s\n-o gives %d and\n%s", a.name, policy, got, out, code, want["a.yaml"])
	}
	return conflicts
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
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

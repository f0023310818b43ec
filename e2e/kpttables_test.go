package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kptTables are tests that kpt has of its own update, with resource-merge in the place
// of a part of it.
type kptTables struct {
	// file of testdata/kpttables is put into kpt, and does what kpt's methods of the name
	// method do in files, which get another name.
	file, method string
	files        []string
	// runs are which tests run, one run after the other.
	runs [][]string
	// module prepares kpt's module, and the go.mod that its tests run with.
	module func(t *testing.T, kpt, mod string)
	want   []tableDifference
}

const (
	kptUpdate  = "github.com/kptdev/kpt/internal/util/update"
	kptCommand = "github.com/kptdev/kpt/commands/pkg/update"
)

// TestKptTablesEngine runs kpt's tests with the updaters of engines/kpt: kpt fetches, and
// calls them. A failing test has to be listed with the reason, and a listed test has to
// fail as listed.
func TestKptTablesEngine(t *testing.T) {
	// Two of kpt's tests read an error's text without checking that there is an error.
	// Where there is none, that ends all tests of the run.
	const endsAll = "^TestCopyMergeErrorUpdatingKptfile$"
	kptTables{
		file: "engine.go", method: "Update",
		files:  []string{"resource-merge.go", "fastforward.go", "replace.go", "copy-merge.go"},
		runs:   [][]string{{"-skip", endsAll, kptUpdate, kptCommand}, {"-run", endsAll, kptUpdate}},
		module: putEngineIn,
		want:   engineDifferences(),
	}.run(t)
}

// TestKptTablesCommand runs kpt's tests of the whole update on `resource-merge update`.
func TestKptTablesCommand(t *testing.T) {
	kptTables{
		file: "command.go", method: "Run",
		files:  []string{"update.go"},
		runs:   [][]string{{"-run", "^Test(Command|Run|Root|Multi|Cmd)", kptUpdate, kptCommand}},
		module: func(*testing.T, string, string) {},
		want:   commandDifferences(),
	}.run(t)
}

// run runs the tests, and compares the failures with the meant differences.
func (k kptTables) run(t *testing.T) {
	module, mod := t.TempDir(), filepath.Join(t.TempDir(), "go.mod")
	k.patch(t, module)
	copyModuleFiles(t, mod)
	goTool(t, "mod", "edit", "-replace", "github.com/kptdev/kpt="+module, mod)
	k.module(t, module, mod)
	ran, failed := map[string]bool{}, map[string]string{}
	for _, args := range k.runs {
		runKptTables(t, mod, ran, failed, args...)
	}
	tally, want := map[string]int{}, map[string]bool{}
	for _, d := range k.want {
		want[d.test] = true
		tally[d.class]++
		switch output, found := failed[d.test]; {
		case !ran[d.test]:
			t.Errorf("kpt has no test %q", d.test)
		case !found:
			t.Errorf("%s passes, and is listed (%s)", d.test, d.class)
		case !strings.Contains(output, d.shows):
			t.Errorf("%s does not fail with %q:\n%s", d.test, d.shows, output)
		}
	}
	for _, test := range slices.Sorted(maps.Keys(failed)) {
		if !want[test] {
			t.Errorf("%s fails:\n%s", test, failed[test])
		}
	}
	t.Logf("%3d x of kpt's tests pass", len(ran)-len(failed))
	for _, c := range kptTableClasses() {
		if tally[c.name] > 0 {
			t.Logf("%3d x %s: %s", tally[c.name], c.name, c.reason)
		}
		delete(tally, c.name)
	}
	for name := range tally {
		t.Errorf("there is no class %q", name)
	}
}

// patch copies kpt's module, and puts our file into it.
func (k kptTables) patch(t *testing.T, dir string) {
	t.Helper()
	kpt := goTool(t, "list", "-C", "e2e", "-m", "-f", "{{.Dir}}", "github.com/kptdev/kpt")
	if err := os.CopyFS(dir, os.DirFS(kpt)); err != nil {
		t.Fatal(err)
	}
	update := filepath.Join(dir, "internal", "util", "update")
	does := regexp.MustCompile(`(?m)^func \((\w+ \*?\w+)\) ` + k.method + `\(`)
	for _, file := range k.files {
		name := filepath.Join(update, file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(does.FindAll(text, -1)); n != 1 {
			t.Fatalf("%s has %d methods %s", file, n, k.method)
		}
		rewrite(t, name, does.ReplaceAll(text, []byte("func ($1) kpt"+k.method+"(")))
	}
	ours, err := os.ReadFile(filepath.Join("testdata", "kpttables", k.file))
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(update, k.file), ours)
}

// putEngineIn puts the lines into kpt that the engine's README tells, and the engine of
// this checkout into the go.mod, as `go get` and `go mod tidy` do.
func putEngineIn(t *testing.T, kpt, mod string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "engines", "kpt", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	change := regexp.MustCompile("(?s)```diff\n(.*?)```").FindSubmatch(readme)
	if change == nil {
		t.Fatal("the engine's README has no change of kpt")
	}
	file := filepath.Join(kpt, "internal", "util", "update", "update.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, file, text) // the copy is read-only
	succeed(t, kpt, string(change[1]), "git", "apply", "-")
	const ours = "github.com/resource-merge/resource-merge"
	goTool(t, "mod", "edit", "-require", ours+"@v1.0.0", "-require", ours+"/engines/kpt@v1.0.0",
		"-replace", ours+"="+root, "-replace", ours+"/engines/kpt="+filepath.Join(root, "engines", "kpt"), mod)
}

// copyModuleFiles copies this module's go.mod to mod, and its go.sum beside that, with
// the sums of the other modules that may take part.
func copyModuleFiles(t *testing.T, mod string) {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, mod, text)
	var sums []byte
	for _, file := range []string{"go.sum", "../go.sum", "../engines/kpt/go.sum"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, text...)
	}
	rewrite(t, strings.TrimSuffix(mod, "mod")+"sum", sums)
}

// rewrite writes a file, also where a read-only one is.
func rewrite(t *testing.T, name string, data []byte) {
	t.Helper()
	_ = os.Remove(name)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// runKptTables runs tests of kpt's module with a go.mod. It notes the tests without
// subtests that ran, and the output of each that failed.
func runKptTables(t *testing.T, mod string, ran map[string]bool, failed map[string]string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-mod=mod", "-modfile=" + mod, "-json"}, args...)...)
	cmd.Env = append(environment(t), "GIT_AUTHOR_NAME=kpt", "GIT_AUTHOR_EMAIL=kpt@example.com",
		"GIT_COMMITTER_NAME=kpt", "GIT_COMMITTER_EMAIL=kpt@example.com", "CGO_ENABLED=0", "RESOURCE_MERGE="+find("resource-merge"),
		"GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOCACHE="+goEnv(t, "GOCACHE"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	events, _ := cmd.Output() // it fails, because tests do
	outputs, ended := outputsOf(t, events)
	if len(ended) == 0 {
		t.Fatalf("kpt's tests do not run: %s\n%s", outputs[""], stderr.String())
	}
	for test, action := range ended {
		if hasSubtests(ended, test) {
			continue
		}
		ran[test] = true
		if action != "pass" {
			failed[test] = outputs[test]
		}
	}
}

// hasSubtests reports whether a test has others in it.
func hasSubtests(ended map[string]string, test string) bool {
	for other := range ended {
		if strings.HasPrefix(other, test+"/") {
			return true
		}
	}
	return false
}

// outputsOf returns the outputs of tests, and how they ended, by their names.
func outputsOf(t *testing.T, events []byte) (outputs, ended map[string]string) {
	t.Helper()
	outputs, ended = map[string]string{}, map[string]string{}
	for line := range bytes.Lines(events) {
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch e.Action {
		case "output", "build-output":
			outputs[e.Test] += e.Output
		case "pass", "fail", "skip":
			if e.Test != "" {
				ended[e.Test] = e.Action
			}
		}
	}
	return outputs, ended
}

// goEnv is a setting of the go command.
func goEnv(t *testing.T, name string) string { return goTool(t, "env", name) }

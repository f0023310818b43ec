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

// TestKptTables runs the tests that kpt has of its own update, with resource-merge in
// the place of kpt's update. A test that fails has to be listed with the reason, and
// one that is listed has to fail as listed.
func TestKptTables(t *testing.T) {
	module := t.TempDir()
	patchKpt(t, module)
	ran, failed := map[string]bool{}, map[string]string{}
	runKptTables(t, module, ran, failed, "-skip", endsAll, "github.com/kptdev/kpt/internal/util/update", "github.com/kptdev/kpt/commands/pkg/update")
	runKptTables(t, module, ran, failed, "-run", endsAll, "github.com/kptdev/kpt/internal/util/update")
	tally, want := map[string]int{}, map[string]bool{}
	for _, d := range kptTableDifferences() {
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
	t.Logf("%3d of kpt's tests pass", len(ran)-len(failed))
	for _, c := range kptTableClasses() {
		t.Logf("%3d %s: %s", tally[c.name], c.name, c.reason)
		if tally[c.name] == 0 {
			t.Errorf("no test is of class %q", c.name)
		}
		delete(tally, c.name)
	}
	for name := range tally {
		t.Errorf("there is no class %q", name)
	}
}

// patchKpt copies kpt's module, and puts the adapter in the place of its update: the
// methods that do it in kpt get another name.
func patchKpt(t *testing.T, dir string) {
	t.Helper()
	kpt := goTool(t, "list", "-C", "e2e", "-m", "-f", "{{.Dir}}", "github.com/kptdev/kpt")
	if err := os.CopyFS(dir, os.DirFS(kpt)); err != nil {
		t.Fatal(err)
	}
	update := filepath.Join(dir, "internal", "util", "update")
	does := regexp.MustCompile(`(?m)^func \((\w+ \*?\w+)\) (Run|Update)\(`)
	for _, file := range []string{"update.go", "resource-merge.go", "fastforward.go", "replace.go", "copy-merge.go"} {
		name := filepath.Join(update, file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(does.FindAll(text, -1)); n != 1 {
			t.Fatalf("%s has %d methods that update", file, n)
		}
		rewrite(t, name, does.ReplaceAll(text, []byte("func ($1) kpt$2(")))
	}
	adapter, err := os.ReadFile(filepath.Join("testdata", "kpttables", "adapter.go"))
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(update, "adapter.go"), adapter)
}

// rewrite writes a file, also where a read-only one is.
func rewrite(t *testing.T, name string, data []byte) {
	t.Helper()
	_ = os.Remove(name)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// endsAll is a test that asks an error for its text without a look whether there is
// one. There is none, which ends all tests: it runs alone.
const endsAll = "^TestCopyMergeErrorUpdatingKptfile$"

// runKptTables runs tests of a copy of kpt's module, with the versions of modules that
// this module has. It notes which tests ran, without those that have subtests, and
// what those that failed say.
func runKptTables(t *testing.T, module string, ran map[string]bool, failed map[string]string, args ...string) {
	t.Helper()
	mod := filepath.Join(t.TempDir(), "go.mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": strings.TrimSuffix(mod, "mod") + "sum"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, to, text)
	}
	goTool(t, "mod", "edit", "-replace", "github.com/kptdev/kpt="+module, mod)
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-mod=mod", "-modfile=" + mod, "-json"}, args...)...)
	cmd.Env = append(environment(t), "GOPROXY=off", "GIT_AUTHOR_NAME=kpt", "GIT_AUTHOR_EMAIL=kpt@example.com",
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

// outputsOf are what tests said and how they ended, by their names.
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

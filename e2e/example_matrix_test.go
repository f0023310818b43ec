package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestExampleMatrix runs the scripts of the workflow's jobs, each in a checkout of its
// own, with a job for each part. Running the workflow again changes nothing.
func TestExampleMatrix(t *testing.T) {
	f := fleetExample(t)
	parts := f.parts(t)
	if diff := cmp.Diff([]string{"packages/cart", "packages/checkout", "packages/search"}, parts); diff != "" {
		t.Fatalf("parts (-want +got):\n%s", diff)
	}
	for _, part := range parts {
		if output, err := f.upgrade(t, part); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	}
	if diff := cmp.Diff(readTree(t, filepath.Join(f.source, "expected"))["report.md"], f.report(t)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	first := f.branches(t)
	if n := strings.Count(first, "refs/heads/upgrade/"); n != 3 {
		t.Errorf("%d branches, want 3:\n%s", n, first)
	}

	for _, part := range f.parts(t) {
		if output, err := f.upgrade(t, part); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	}
	if diff := cmp.Diff(first, f.branches(t)); diff != "" {
		t.Errorf("running again changed (-first +second):\n%s", diff)
	}
}

// TestExampleMatrixFails: a package that fails is named, its job fails, and the packages
// after it are upgraded.
func TestExampleMatrixFails(t *testing.T) {
	f := fleetExample(t)
	f.must(t, `sed -i s/service-package/no-package/ packages/cart/Kptfile && git commit --quiet --all --message="Elsewhere"`)
	f.must(t, `git config --global url.file:///nowhere/.insteadOf https://github.com/example/no-package`)
	output, err := f.upgrade(t, "packages/cart packages/checkout")
	if err == nil || !strings.HasSuffix(output, "failed: packages/cart\n") {
		t.Errorf("%v\n%s", err, output)
	}
	if branches := f.branches(t); strings.Contains(branches, "cart") || !strings.Contains(branches, "upgrade/checkout-v2\n") {
		t.Errorf("branches:\n%s", branches)
	}
	report := f.report(t)
	for _, want := range []string{"2 packages: 0 without conflicts, 1 with conflicts, 1 failed", "cart"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
}

// TestExampleMatrixBranches: a branch on which somebody went on stays as it is.
func TestExampleMatrixBranches(t *testing.T) {
	f := fleetExample(t)
	upgrade := func() {
		if output, err := f.upgrade(t, "packages/cart"); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	upgrade()
	f.must(t, `git fetch --quiet origin upgrade/cart-v2 && git switch --quiet --detach FETCH_HEAD
git commit --quiet --allow-empty --message="Not so" && git push --quiet origin HEAD:upgrade/cart-v2 && git switch --quiet -`)
	before := f.branches(t)
	upgrade()
	if diff := cmp.Diff(before, f.branches(t)); diff != "" {
		t.Errorf("somebody's branch changed (-before +after):\n%s", diff)
	}
}

// fleet is the example with its remote, and what its jobs kept as artifacts.
type fleet struct {
	ci
	artifacts string
}

func fleetExample(t *testing.T) fleet {
	t.Helper()
	return fleet{ci: onGitHub(t, "fleet-matrix", "https://github.com/example/service-package"), artifacts: t.TempDir()}
}

// parts runs the first job, and returns the matrix.
func (f fleet) parts(t *testing.T) []string {
	t.Helper()
	written := filepath.Join(t.TempDir(), "output")
	if output, err := f.runNamed(t, "packages", "Find the packages", "GITHUB_OUTPUT="+written); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(text), "parts=")), &parts); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return parts
}

// upgrade runs the job of a part in a checkout of its own, and keeps its results.
func (f fleet) upgrade(t *testing.T, part string) (string, error) {
	t.Helper()
	checkout := filepath.Join(t.TempDir(), "checkout")
	git(t, "", "clone", "--quiet", "file://"+f.dir, checkout)
	git(t, checkout, "remote", "set-url", "origin", f.remote)
	there := f
	there.dir = checkout
	output, err := there.runNamed(t, "upgrade", "Upgrade", "PACKAGES="+part, "VERSION=v2")
	f.must(t, "cp -R "+checkout+"/results/. "+f.artifacts)
	return output, err
}

// report runs the last job, and returns its output.
func (f fleet) report(t *testing.T) string {
	t.Helper()
	f.must(t, "rm -rf results && cp -R "+f.artifacts+" results")
	if output, err := f.runNamed(t, "report", "Gather", "GITHUB_STEP_SUMMARY=summary.md"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	files := readTree(t, f.dir)
	if diff := cmp.Diff(files["report.md"], files["summary.md"]); diff != "" {
		t.Errorf("summary.md (-report +summary):\n%s", diff)
	}
	return files["report.md"]
}

// runNamed runs a step of a job. The given variables replace the ones whose expressions
// only GitHub knows.
func (f fleet) runNamed(t *testing.T, job, name string, variables ...string) (string, error) {
	t.Helper()
	var parsed workflow
	if err := yaml.Unmarshal([]byte(readTree(t, f.source)[".github/workflows/fleet.yaml"]), &parsed); err != nil {
		t.Fatal(err)
	}
	for _, s := range parsed.Jobs[job].Steps {
		if s.Name == name {
			return f.with(variables...).runStep(t, step{Name: s.Name, Run: s.Run})
		}
	}
	t.Fatalf("the job %s has no step %q", job, name)
	return "", nil
}

// branches lists the branches of the remote.
func (f fleet) branches(t *testing.T) string {
	t.Helper()
	return branchesOf(t, f.remote)
}

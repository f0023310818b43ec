package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// workflow has the fields of a workflow of GitHub Actions that the test reads.
type workflow struct {
	Jobs map[string]struct {
		Env   map[string]string
		Steps []step
	}
}

type step struct {
	Name, Run string
	Env       map[string]string
}

// expressions replaces the expressions in the workflow's environments, as GitHub
// does.
var expressions = strings.NewReplacer("${{ inputs.version }}", "v1.9", "${{ github.token }}", "secret")

// TestExampleWorkflow runs each step of the workflow that is a script, as GitHub
// does, in a repository that has the example's files. GitHub's client is a script that
// notes how it was called.
func TestExampleWorkflow(t *testing.T) {
	e := ciExample(t)
	for _, step := range stepsOf(t, e.example) {
		output, err := e.runStep(t, step)
		switch conflicts := step.Name == "Fail on conflicts"; {
		case conflicts && (err == nil || !strings.Contains(output, "resources.limits.memory (node-exporter/daemonset.yaml:39)")):
			t.Errorf("%s: %v, want it to fail on the limit of memory:\n%s", step.Name, err, output)
		case !conflicts && err != nil:
			t.Fatalf("%s: %v\n%s", step.Name, err, output)
		case step.Name == "Merge" && !strings.Contains(output, "::warning file=node-exporter/daemonset.yaml,line=39,"):
			t.Errorf("%s annotates no conflict:\n%s", step.Name, output)
		}
	}
	e.checkPullRequest(t)
	e.checkCalls(t, "gh", `pr view upgrade/node-exporter-v1.9
pr create --head upgrade/node-exporter-v1.9 --title Upgrade node-exporter to v1.9 --body-file results/pull-request.md
`)
}

// TestExampleWorkflowAgain runs the workflow when the pull request is there.
func TestExampleWorkflowAgain(t *testing.T) {
	e := ciExample(t)
	e.example = e.with("PULL_REQUEST=open")
	git(t, e.dir, "push", "--quiet", "origin", "HEAD:refs/heads/upgrade/node-exporter-v1.9")
	for _, step := range stepsOf(t, e.example)[:2] {
		if output, err := e.runStep(t, step); err != nil {
			t.Fatalf("%s: %v\n%s", step.Name, err, output)
		}
	}
	e.checkPullRequest(t)
	e.checkCalls(t, "gh", `pr view upgrade/node-exporter-v1.9
pr edit upgrade/node-exporter-v1.9 --body-file results/pull-request.md
`)
}

// TestExampleWorkflowFails: if the merge fails, so does its step, and the
// package is as it was.
func TestExampleWorkflowFails(t *testing.T) {
	e := ciExample(t)
	merge := stepsOf(t, e.example)[0]
	for _, version := range []string{"v9", "--upload-pack=touch here", ""} {
		merge.Env["VERSION"] = version
		if output, err := e.runStep(t, merge); err == nil {
			t.Errorf("with the version %q it succeeds:\n%s", version, output)
		}
		if changes := git(t, e.dir, "status", "--short", "node-exporter"); changes != "" {
			t.Errorf("version %q changed the package: %s", version, changes)
		}
	}
}

// ci is a repository with the example, a remote to push to, upstream's repository
// in the place of the one on GitHub, and scripts instead of the programs that
// need a network. They note in calls how they were called.
type ci struct {
	example
	remote, calls string
}

func ciExample(t *testing.T) ci {
	t.Helper()
	return onGitHub(t, "ci", "https://github.com/example/node-exporter-package")
}

// onGitHub is an example whose upstream is on GitHub, and so is its remote.
func onGitHub(t *testing.T, name, upstream string) ci {
	t.Helper()
	e := ci{example: copyExample(t, name), remote: filepath.Join(t.TempDir(), "remote"), calls: t.TempDir()}
	commitAll(t, e.dir)
	git(t, "", "init", "--quiet", "--bare", e.remote)
	git(t, e.dir, "remote", "add", "origin", e.remote)
	e.must(t, "./upstream.sh")

	programs := t.TempDir()
	e.program(t, programs, "gh", `case "$*" in "pr view"*) [ "${PULL_REQUEST:-}" = open ];; esac`)
	e.example = e.with(
		"PATH="+strings.Join([]string{programs, bin, os.Getenv("PATH")}, string(os.PathListSeparator)),
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://"+filepath.Join(e.dir, "upstream.git")+".insteadOf",
		"GIT_CONFIG_VALUE_0="+upstream,
	)
	return e
}

// program writes a script that notes its arguments first.
func (e ci) program(t *testing.T, dir, name, script string) {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\n%s\n", filepath.Join(e.calls, name), script)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// stepsOf is the steps of the workflow that are scripts and need no network.
func stepsOf(t *testing.T, e example) []step {
	t.Helper()
	var parsed workflow
	if err := yaml.Unmarshal([]byte(readTree(t, e.dir)[".github/workflows/upgrade.yaml"]), &parsed); err != nil {
		t.Fatal(err)
	}
	job := parsed.Jobs["node-exporter"]
	steps := slices.DeleteFunc(job.Steps, func(s step) bool { return s.Run == "" })
	if len(steps) == 0 || steps[0].Name != "Install resource-merge" {
		t.Fatal("the workflow does not begin with installing resource-merge")
	}
	for i := range steps {
		steps[i].Env = merged(job.Env, steps[i].Env)
	}
	return steps[1:]
}

func merged(environments ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, environment := range environments {
		for key, value := range environment {
			all[key] = expressions.Replace(value)
		}
	}
	return all
}

// runStep runs a step as GitHub does. An expression in it would be part of the
// script, whatever it holds: it belongs into the environment.
func (e example) runStep(t *testing.T, s step) (string, error) {
	t.Helper()
	if strings.Contains(s.Run, "${{") {
		t.Errorf("%s: there is an expression in the script:\n%s", s.Name, s.Run)
	}
	for key, value := range s.Env {
		e = e.with(key + "=" + value)
	}
	return e.run(t, "bash", "-e", "-c", s.Run)
}

// checkPullRequest checks what was pushed: the package as expected, nothing
// else, and the results in the text.
func (e ci) checkPullRequest(t *testing.T) {
	t.Helper()
	pushed := filepath.Join(t.TempDir(), "pushed")
	git(t, "", "clone", "--quiet", "--branch=upgrade/node-exporter-v1.9", e.remote, pushed)
	before := readTree(t, e.source)
	want := before.without("node-exporter").and(before.in("expected").below("node-exporter"))
	if diff := cmp.Diff(want, readTree(t, pushed).without(".git")); diff != "" {
		t.Errorf("pushed (-want +got):\n%s", diff)
	}
	text := readTree(t, filepath.Join(e.dir, "results"))["pull-request.md"]
	if !strings.Contains(text, "<td><code>220Mi</code></td>") {
		t.Errorf("the pull request does not say what upstream proposes:\n%s", text)
	}
}

// checkCalls checks how a program was called.
func (e ci) checkCalls(t *testing.T, name, want string) {
	t.Helper()
	if diff := cmp.Diff(want, readTree(t, e.calls)[name]); diff != "" {
		t.Errorf("calls of %s (-want +got):\n%s", name, diff)
	}
}

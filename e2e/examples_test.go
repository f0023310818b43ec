package e2e

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what the examples expect")

// TestExample runs the commands in the README of each example in a copy of its
// directory, and compares their output with the README's, and the files with the
// expected ones. An example that is a Go module has tests of its own.
func TestExample(t *testing.T) {
	dirs, err := os.ReadDir(filepath.Join("..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join("..", "examples", dir.Name(), "go.mod")); err == nil {
			continue
		}
		t.Run(dir.Name(), func(t *testing.T) {
			e := copyExample(t, dir.Name())
			e.runReadme(t)
			e.checkFiles(t)
		})
	}
}

// example is a copy of an example's directory. Its scripts run with git's
// committer and other settings in the environment.
type example struct {
	source, dir string
	env         []string
}

func copyExample(t *testing.T, name string) example {
	t.Helper()
	e := example{
		source: filepath.Join("..", "examples", name),
		dir:    filepath.Join(t.TempDir(), name),
		env: append(environment(t),
			"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.com",
			"GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.com"),
	}
	if err := os.CopyFS(e.dir, os.DirFS(e.source)); err != nil {
		t.Fatal(err)
	}
	if name == "upgrade-in-place" { // a user has it in a repository; elsewhere nothing is overwritten
		e.must(t, "git init --quiet && git add . && git commit --quiet --message=example")
	}
	return e
}

// with is the example with more variables in its environment.
func (e example) with(variables ...string) example {
	e.env = slices.Concat(e.env, variables)
	return e
}

// run runs a command in the example, and returns all that it printed.
func (e example) run(t *testing.T, command string, args ...string) (string, error) {
	t.Helper()
	var output bytes.Buffer
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = e.dir, e.env, &output, &output
	err := cmd.Run()
	t.Logf("%s %s\n%s", command, strings.Join(args, " "), output.String())
	return output.String(), err
}

// must is run for a script that must succeed.
func (e example) must(t *testing.T, script string) string {
	t.Helper()
	output, err := e.run(t, "sh", "-eu", "-c", script)
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return output
}

// block is a block of a README: a user runs shell, and output is the output of
// the shell block before it.
var block = regexp.MustCompile("(?s)```(shell|output)\n(.*?)```")

// runReadme runs the blocks of shell, each in a shell of its own.
func (e example) runReadme(t *testing.T) {
	t.Helper()
	blocks := block.FindAllStringSubmatch(readTree(t, e.dir)["README.md"], -1)
	if len(blocks) == 0 {
		t.Fatal("README.md has nothing to run")
	}
	var output string
	for _, match := range blocks {
		if match[1] == "shell" {
			output = e.must(t, match[2])
		} else {
			checkShown(t, match[2], output)
		}
	}
}

// checkShown checks that a program printed the output that a README shows. `...`
// stands for lines that are left out, and a line may be part of one.
func checkShown(t *testing.T, shown, output string) {
	t.Helper()
	rest := output
	for _, part := range strings.Split(shown, "...\n") {
		_, after, found := strings.Cut(rest, strings.TrimSuffix(part, "\n"))
		if !found {
			t.Errorf("the output does not have, where README.md shows it:\n%s", part)
		}
		rest = after
	}
}

// checkFiles compares the files in expected/ with the files and directories of
// the same names, without git's.
func (e example) checkFiles(t *testing.T) {
	t.Helper()
	all := readTree(t, e.dir)
	want, got := all.in("expected"), tree{}
	for path, text := range all {
		if want.hasTop(path) && !strings.Contains(path, "/.git/") {
			got[path] = text
		}
	}
	if *update {
		e.rewrite(t, got)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expected (-want +got):\n%s", diff)
	}
}

// hasTop tells if one of the files is in the same directory at the top, or is
// the same file.
func (files tree) hasTop(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	_, same := files[top]
	return same || len(files.below(top)) > 0
}

// rewrite makes files the ones that the example expects. For a new example, make
// empty ones in expected/ first: they say which files are compared.
func (e example) rewrite(t *testing.T, files tree) {
	t.Helper()
	expected := filepath.Join(e.source, "expected")
	if err := os.RemoveAll(expected); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(expected, os.DirFS(files.write(t))); err != nil {
		t.Fatal(err)
	}
}

// TestExampleUpgradeFails: without the version that is asked for nothing changes.
func TestExampleUpgradeFails(t *testing.T) {
	e := copyExample(t, "upgrade-in-place")
	e.must(t, "./upstream.sh")
	e = e.with("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+filepath.Join(e.dir, "upstream.git")+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/example/grafana-package")
	if output, err := e.run(t, "sh", "-c", "resource-merge update shop@v9"); err == nil || !strings.Contains(output, `"v9"`) {
		t.Errorf("it succeeds without a version 9:\n%s", output)
	}
	readTree(t, filepath.Join(e.source, "shop")).check(t, filepath.Join(e.dir, "shop"))
}

// TestExampleLinks finds links in the examples' READMEs to files that are not
// there. It follows no link to another host.
func TestExampleLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]*)\)`)
	files := readTree(t, filepath.Join("..", "examples"))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if filepath.Base(path) != "README.md" {
			continue
		}
		for _, match := range link.FindAllStringSubmatch(files[path], -1) {
			file, _, _ := strings.Cut(match[1], "#")
			if strings.HasPrefix(file, "https://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "examples", filepath.Dir(path), file)); err != nil {
				t.Error(err)
			}
		}
	}
}

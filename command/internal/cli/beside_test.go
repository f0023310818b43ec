//go:build linux

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// steering is a file beside a package that steers a command, and the commands that open it.
type steering struct {
	// file is the file, below the directory with the package, and text is a text of it that the commands take.
	file, text string
	// commands run in that directory; - in front of a name means that the file does not fail the command.
	commands []string
	// isContent reports that the file has data: one with more than 1 MiB, and a directory in its place, are taken.
	isContent bool
}

// besideTable lists the files that are opened beside a package (SECURITY.md: files beside a package).
func besideTable(tracked, kptfile string) []steering {
	const sides = " --origin=v1 --upstream=v2 --local=fork/pkg"
	return []steering{
		{file: "fork/pkg/.resource-merge.yaml", text: tracked, commands: []string{
			"merge" + sides, "merge --write --force" + sides, "merge --diff --conflicts=upstream" + sides,
			"merge --diff --origin=v1/web.yaml --upstream=v2/web.yaml --local=fork/pkg/web.yaml",
			"overlay -o overlay" + sides, "update fork/pkg@v2 --force", "update fork/pkg", "track fork/pkg --upstream ./{version}@v1",
			"learn fork/pkg", "learn fork/pkg --check", "values --origin=chart --upstream=chart --local=fork/pkg/values.yaml",
			"-blame fork/pkg/web.yaml", "-resolve fork/pkg",
			"-git driver base.yaml ours.yaml theirs.yaml -L 7 -p fork/pkg/web.yaml",
			"-git driver base.yaml ours.yaml theirs.yaml -L 7 -p fork/pkg/deep/web.yaml",
		}},
		{file: "fork/pkg/Kptfile", text: kptfile, isContent: true, commands: []string{ // as a file of the package
			"-merge" + sides, "-merge --write --force" + sides, "-overlay -o overlay" + sides,
			"-apply --live live.yaml fork/pkg", "-blame fork/pkg/web.yaml", "function",
		}},
		{file: "fork/pkg/Kptfile", text: kptfile, commands: []string{
			"update fork/pkg@v2 --force", "update fork/pkg", "track fork/pkg --upstream ./{version}@v1",
		}},
		{file: "fork/pkg/.krmignore", text: "none.yaml\n", commands: []string{
			"merge" + sides, "merge --write --force" + sides, "merge --origin=fork/pkg --upstream=fork/pkg --local=v1",
			"overlay -o overlay" + sides, "apply --live live.yaml fork/pkg", "track fork/pkg --upstream ./{version}@v1", "function",
		}},
		{file: "fork/pkg/.resource-merge-journal/journal", text: "{}", isContent: true, commands: []string{
			"recover fork/pkg", "merge" + sides, "merge --write --force" + sides,
		}},
		{file: "overlay/.resource-merge-overlay", text: "", isContent: true, commands: []string{"overlay --force -o overlay" + sides}},
		{file: "overlay/kustomization.yaml", text: "", isContent: true, commands: []string{"overlay --force -o overlay" + sides}},
		{file: "reports/shop.json", text: "{}", isContent: true, commands: []string{"fleet reports"}},
		{file: "fork/pkg/.git", text: "gitdir: none\n", commands: []string{"-merge" + sides, "-blame fork/pkg/web.yaml", "-update fork/pkg"}},
		{file: "fork/pkg/web.yaml", text: "", isContent: true, commands: []string{"-resolve fork/pkg", "blame fork/pkg/web.yaml", "function"}},
		{file: "fork/pkg/kustomization.yaml", text: "resources: [web.yaml]\n", isContent: true, commands: []string{"-merge" + sides, "-resolve fork/pkg", "function"}},
	}
}

// swaps put something else in the place of a file. Their contents, outside of the directory, have the word hush.
func swaps(outside string) map[string]func(file string) error {
	link := func(to string) func(string) error {
		return func(file string) error { return os.Symlink(to, file) }
	}
	return map[string]func(file string) error{
		"a link to a text":   link(filepath.Join(outside, "key")),
		"a link to a config": link(filepath.Join(outside, "config.yaml")),
		"a link to nothing":  link(filepath.Join(outside, "new.yaml")),
		"a link to a device": link("/dev/zero"),
		"a pipe":             func(file string) error { return syscall.Mkfifo(file, 0o644) },
		"a directory":        func(file string) error { return os.Mkdir(file, 0o755) },
		"a device": func(file string) error {
			if err := syscall.Mknod(file, syscall.S_IFCHR|0o644, 1<<8|5); err == nil {
				return nil
			}
			return os.Symlink("/dev/full", file) // only root makes devices
		},
		"2 MiB": func(file string) error {
			return os.WriteFile(file, []byte(strings.Repeat("# "+strings.Repeat("x", 61)+"\n", 2<<20/64)), 0o644)
		},
	}
}

// besideTree makes a directory with a package in a repository, versions, a chart, a recording and reports.
func besideTree(t *testing.T) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), t.TempDir()
	marked := strings.Replace(named("a", 3), "  a: \"3\"\n", "<<<<<<< ours\n  a: \"3\"\n=======\n  a: \"4\"\n>>>>>>> theirs\n", 1)
	writeTree(t, dir, map[string]string{
		"v1/web.yaml": named("a", 1), "v2/web.yaml": named("a", 2), "live.yaml": named("a", 1),
		"base.yaml": named("a", 1), "ours.yaml": named("a", 2), "theirs.yaml": named("a", 3),
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "chart/values.yaml": "a: 1\n", "chart/templates/a.yaml": "a: {{ .Values.a }}\n",
		"fork/pkg/web.yaml": named("a", 1), "fork/pkg/values.yaml": "a: 2\n", "fork/pkg/deep/web.yaml": named("deep", 1),
		"fork/pkg/marked.txt": marked, "overlay/note.txt": "x\n", "reports/other.json": "{}",
		"list.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n" +
			"functionConfig: {apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, sources: {origin: {none: true}, upstream: {dir: fork/pkg}}}\n",
	})
	for _, args := range [][]string{{"init", "--quiet", "--template="}, {"add", "--all"}, {"commit", "--quiet", "--message=copy"}} {
		git(t, filepath.Join(dir, "fork"), args...)
	}
	writeTree(t, outside, map[string]string{
		"key": "-----BEGIN HUSH-----\nhush\n", "config.yaml": "upstream: {source: hush, version: hush}\n",
	})
	return dir, outside
}

// runBeside runs a command, and fails if it does not end.
func runBeside(t *testing.T, dir, command string) (r ran) {
	t.Helper()
	args := strings.Fields(command)
	if args[0] == "function" {
		args = []string{"list.yaml"}
	}
	timer := time.AfterFunc(2*time.Minute, func() { panic("it hangs: " + t.Name()) })
	defer timer.Stop()
	return runIn(t, dir, "r\nu\nu\n", args...)
}

// Whatever stands in the place of a file that steers a command, the command ends, shows nothing that a link leads to, and
// writes nothing outside of the package. A quick run has every fifteenth of the combinations.
func TestFilesBesideAPackage(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KPT_CACHE_DIR", t.TempDir())
	template, outside := besideTree(t)
	repository := filepath.Join(t.TempDir(), "repository")
	v1 := upstreamRepository(t, repository)
	tracked := "upstream: {source: '../../{version}', version: v1}\n"
	kptfile := kptfileOf(t, from{repository, "/shop", "v1", v1})
	was := entries(t, outside)
	all := swaps(outside)
	number := 0
	for _, s := range besideTable(tracked, kptfile) {
		for _, what := range slices.Sorted(maps.Keys(all)) {
			swap := all[what]
			for _, command := range s.commands {
				if number++; number%seed.Step(15) != 0 {
					continue
				}
				command, mayPass := strings.CutPrefix(command, "-")
				t.Run(fmt.Sprintf("%s is %s/%s", filepath.Base(s.file), what, command), func(t *testing.T) {
					dir := t.TempDir()
					if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
						t.Fatal(err)
					}
					if !strings.HasSuffix(s.file, ".resource-merge.yaml") && strings.HasPrefix(command, "update") {
						writeTree(t, dir, map[string]string{"fork/pkg/.resource-merge.yaml": tracked})
					}
					file := filepath.Join(dir, s.file)
					err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.RemoveAll(file), swap(file))
					if err != nil {
						t.Fatal(err)
					}
					r := runBeside(t, dir, command)
					wantQuiet(t, r)
					isTaken := s.isContent && (what == "2 MiB" || what == "a directory")
					if r.code == 0 && !mayPass && !isTaken {
						t.Errorf("it is taken: %s%s", r.out, r.errors)
					} else if name := filepath.Base(s.file); r.code != 0 && !mayPass && !s.isContent && !strings.Contains(r.out+r.errors, name) {
						t.Errorf("it does not name %s: %s", name, r.errors)
					}
					wantSame(t, was, entries(t, outside))
					wantUnread(t, dir)
				})
			}
		}
	}
}

// wantQuiet fails if a command showed a text from outside of the package, or panicked.
func wantQuiet(t *testing.T, r ran) {
	t.Helper()
	if said := r.out + r.errors; strings.Contains(strings.ToLower(said), "hush") || strings.Contains(said, "panic") || len(r.errors) > 1<<16 {
		t.Errorf("it says %.500q", said)
	}
}

// wantUnread fails if a regular file below a directory has a text from outside of it.
func wantUnread(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		if strings.Contains(strings.ToLower(string(text)), "hush") {
			t.Errorf("%s has %.100q", file, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

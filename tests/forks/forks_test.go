package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// drawn makes a repository below dir and returns a function that commits a directory's files.
func drawn(t *testing.T, dir string) (git func(...string), commit func(map[string]string)) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "merge" {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "--quiet", "--initial-branch=main")
	return git, func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "--all")
		git("commit", "--quiet", "--message=a")
	}
}

// deployment is a file of a small package.
func deployment(image, replicas string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: " + replicas +
		"\n  template:\n    spec:\n      containers:\n      - image: " + image + "\n        name: web\n"
}

// mirrors draws a copy with one upgrade, of a file whose merge git leaves in conflict, and a
// fork with the same upgrade as a merge.
func mirrors(t *testing.T) (mirror, list string) {
	t.Helper()
	mirror = t.TempDir()
	one, local := deployment("web:1", "1"), deployment("web:1", "3")
	two, upgraded := deployment("web:2", "1\n  minReadySeconds: 5"), deployment("web:2", "3\n  minReadySeconds: 5")
	at := func(dir, text string) map[string]string { return map[string]string{dir + "/deployment.yaml": text} }

	_, upstream := drawn(t, filepath.Join(mirror, "up", "stream"))
	upstream(at("deploy", one))
	upstream(at("deploy", two))
	_, fork := drawn(t, filepath.Join(mirror, "our+fork", "repo"))
	fork(at("copy", one))
	fork(at("copy", local))
	fork(at("copy", upgraded))
	git, merged := drawn(t, filepath.Join(mirror, "our", "merged"))
	merged(at("deploy", one))
	git("switch", "--quiet", "--create", "theirs")
	merged(at("deploy", two))
	git("switch", "--quiet", "main")
	merged(at("deploy", local))
	git("merge", "theirs")
	merged(at("deploy", upgraded))

	list = filepath.Join(mirror, "forks.tsv")
	lines := "# forks\ncopy\tour/fork\tcopy\tup/stream\tdeploy\nmerged\tour/merged\t.\t-\t-\n"
	if err := os.WriteFile(list, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return mirror, list
}

// The upgrade of a copy is found without being told, and counted as that of a merge is.
func TestForks(t *testing.T) {
	mirror, list := mirrors(t)
	var out, stderr bytes.Buffer
	if err := run(t.Context(), []string{"--mirror", mirror, "--list", list}, &out, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| copy | 1 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 1 | 0 | 1 |",
		"| merged | 1 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 1 | 0 | 1 |",
		"| all | 2 | 2 | 0 | 2 | 0 | 0 | 2 | 0 | 2 | 0 | 2 |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant a row that begins with\n%s", out.String(), want)
		}
	}
}

// A result that loses a side's change is counted as one.
func TestCountLost(t *testing.T) {
	one := []byte(deployment("web:1", "1"))
	v := versions{path: "a.yaml", base: one, ours: []byte(deployment("web:1", "3")), theirs: []byte(deployment("web:2", "1")), people: []byte(deployment("web:2", "3"))}
	for _, c := range []struct {
		result string
		want   score
	}{
		{deployment("web:2", "3"), score{read: 1, merged: 1, equal: 1}},
		{deployment("web:2", "1"), score{read: 1, merged: 1, broken: 1}},
		{deployment("web:9", "3"), score{read: 1, merged: 1, broken: 1}},
	} {
		var s score
		s.count(v, []byte(c.result), 0, true)
		if s != c.want {
			t.Errorf("%s\ncounts %+v, want %+v", c.result, s, c.want)
		}
	}
}

// A repository that the mirror lacks is named, with the flag that clones it.
func TestNoMirror(t *testing.T) {
	_, list := mirrors(t)
	var out bytes.Buffer
	err := run(t.Context(), []string{"--mirror", t.TempDir(), "--list", list}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), "has no clone of our/fork") || !strings.Contains(err.Error(), "--clone") {
		t.Error(err)
	}
}

// The list of the repository has its five columns.
func TestList(t *testing.T) {
	forks, err := readForks("forks.tsv", "")
	if err != nil || len(forks) < 25 {
		t.Errorf("%d forks, %v; want at least 25", len(forks), err)
	}
}

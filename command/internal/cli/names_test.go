//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// named is a ConfigMap as a file has it.
func named(name string, value int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  a: \"%d\"\n", name, value)
}

// writeTree writes files below a directory.
func writeTree(t *testing.T, dir string, files map[string]string) {
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
}

// readTree reads the files below a directory, but for the repository's.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		if !strings.HasPrefix(name, ".git/") {
			files[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// File names are bytes: a name that is not UTF-8 works in every source and output.
func TestNamesThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	const yaml, text = "sub\xe4/b\xff.yaml", "c\xfe.txt"
	for side, n := range map[string]int{"o": 1, "u": 2, "l": 1} {
		writeTree(t, filepath.Join(dir, side), map[string]string{yaml: named("a", n), text: fmt.Sprintln(n)})
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for i, upstream := range []string{"u", "u@HEAD", "file://" + dir + "//u"} {
		out := fmt.Sprint("out", i)
		t.Setenv("KPT_CACHE_DIR", t.TempDir())
		if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", upstream, "--local", "l", "-o", out); r.code != 0 {
			t.Fatalf("%s: %s", upstream, r.errors)
		}
		if got := readTree(t, filepath.Join(dir, out)); got[yaml] != named("a", 2) || got[text] != "2\n" || len(got) != 2 {
			t.Errorf("%s: got %+q", upstream, got)
		}
	}
	diff := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "--diff")
	apply := exec.Command("git", "apply", "--check", "-")
	apply.Dir, apply.Stdin = dir, strings.NewReader(diff.out)
	if out, err := apply.CombinedOutput(); err != nil || diff.code != 0 {
		t.Errorf("git apply of the difference: %v\n%s\n%s", err, out, diff.out)
	}
	if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "--write", "--force"); r.code != 0 {
		t.Fatal(r.errors)
	}
	if got := readTree(t, filepath.Join(dir, "l")); got[yaml] != named("a", 2) || got[text] != "2\n" || len(got) != 2 {
		t.Errorf("--write: got %+q", got)
	}
}

// A directory with the name of a journal is not part of a package, on any side and at any depth.
func TestJournalsAreNoPartOfAPackage(t *testing.T) {
	dir := t.TempDir()
	const journal = "sub/.resource-merge-journal/journal"
	for side, n := range map[string]int{"o": 1, "u": 2, "l": 1} {
		writeTree(t, filepath.Join(dir, side), map[string]string{"a.yaml": named("a", n), journal: side, "sub/.resource-merge-journal/b.yaml": named(side, n)})
	}
	if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "-o", "new"); r.code != 0 {
		t.Fatal(r.errors)
	}
	if got := readTree(t, filepath.Join(dir, "new")); len(got) != 1 || got["a.yaml"] != named("a", 2) {
		t.Errorf("got %q", got)
	}
	if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "--write", "--force"); r.code != 0 {
		t.Fatal(r.errors)
	}
	if got := readTree(t, filepath.Join(dir, "l")); len(got) != 3 || got["a.yaml"] != named("a", 2) || got[journal] != "l" {
		t.Errorf("--write: got %q", got)
	}
}

// Kubernetes' longest names give patches and resources that a file system can have, each with
// a name of its own.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("a", 251)
	one, two := long+"-1", long+"-2"
	writeTree(t, filepath.Join(dir, "o"), map[string]string{"a.yaml": named(one, 1) + "---\n" + named(two, 1)})
	writeTree(t, filepath.Join(dir, "u"), map[string]string{"a.yaml": named(one, 2) + "---\n" + named(two, 2)})
	writeTree(t, filepath.Join(dir, "l"), map[string]string{"a.yaml": named(one, 3) + "---\n" + named(two, 3), "b.yaml": named(long+"-3", 1)})
	for args, want := range map[string]int{
		"overlay -o ov": 3, "merge --patches --conflicts upstream -o patches": 2,
	} {
		all := append(strings.Fields(args), "--origin", "o", "--local", "l", "--upstream", "u")
		if r := runIn(t, dir, "", all...); r.code != 0 {
			t.Errorf("%s: %s", args, r.errors)
		}
		out := all[len(strings.Fields(args))-1]
		files := 0
		for name := range readTree(t, filepath.Join(dir, out)) {
			if strings.Contains(name, "configmap-") {
				files++
			}
			if len(filepath.Base(name)) > 255-len(".yaml.orig") {
				t.Errorf("%s: the name %s has %d bytes", args, name, len(filepath.Base(name)))
			}
		}
		if files != want {
			t.Errorf("%s: %d files of resources, want %d", args, files, want)
		}
	}
}

// The file of an added resource lies beside local's, whatever the resource's name is.
func TestHostileNamesOfAddedResources(t *testing.T) {
	for _, name := range []string{"../../../../evil", "../../.git/hooks/evil", "/evil", "a/../../../evil", `..\..\evil`} {
		dir := t.TempDir()
		few := named("one", 1) + "---\n" + named("two", 1)
		writeTree(t, filepath.Join(dir, "o"), map[string]string{"a.yaml": few})
		writeTree(t, filepath.Join(dir, "u"), map[string]string{"a.yaml": few + "---\n" + named("'"+name+"'", 1)})
		writeTree(t, filepath.Join(dir, "l"), map[string]string{"sub/one.yaml": named("one", 1), "sub/two.yaml": named("two", 1)})
		if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "-o", "new"); r.code != 0 {
			t.Errorf("%s: %s", name, r.errors)
		}
		if files, err := os.ReadDir(filepath.Join(dir, "new", "sub")); err != nil || len(files) != 3 {
			t.Errorf("%s: got the files %v, error %v", name, files, err)
		}
	}
}

// Added resources with the longest names get files of their own beside local's, with shorter names.
func TestLongNamesOfAddedResources(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("a", 251)
	few := named("one", 1) + "---\n" + named("two", 1)
	writeTree(t, filepath.Join(dir, "o"), map[string]string{"a.yaml": few})
	writeTree(t, filepath.Join(dir, "u"), map[string]string{"a.yaml": few + "---\n" + named(long+"-1", 1) + "---\n" + named(long+"-2", 1)})
	writeTree(t, filepath.Join(dir, "l"), map[string]string{"one.yaml": named("one", 1), "two.yaml": named("two", 1)})
	if r := runIn(t, dir, "", "merge", "--origin", "o", "--upstream", "u", "--local", "l", "-o", "new"); r.code != 0 {
		t.Fatal(r.errors)
	}
	names := readTree(t, filepath.Join(dir, "new"))
	if len(names) != 4 {
		t.Errorf("got %d files, want 4", len(names))
	}
	for name := range names {
		if len(name) > 255-len(".yaml.orig") {
			t.Errorf("the name %s has %d bytes", name, len(name))
		}
	}
}

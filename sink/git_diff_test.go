package sink

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// failer is the common part of a test and a law.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// put writes files into a directory.
func put(t failer, dir string, files []pkgmerge.File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil && f.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(f.Data), name)
		} else if err == nil {
			err = os.WriteFile(name, f.Data, f.Mode)
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// get reads the files of a directory.
func get(t failer, dir string) []pkgmerge.File {
	t.Helper()
	var files []pkgmerge.File
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, _ := filepath.Rel(dir, name)
		f := pkgmerge.File{Name: below, Mode: 0o644}
		if info, err := d.Info(); err != nil {
			return err
		} else if info.Mode()&0o100 != 0 {
			f.Mode = 0o755
		}
		if d.Type()&fs.ModeSymlink != 0 {
			f.Mode = fs.ModeSymlink
			target, err := os.Readlink(name)
			f.Data = []byte(target)
			files = append(files, f)
			return err
		}
		f.Data, err = os.ReadFile(name)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return files
}

// diff returns the difference as a text.
func diff(t failer, before, after []pkgmerge.File, below string) string {
	t.Helper()
	text, err := gitDiff(context.Background(), before, after, below, "--binary")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}

// apply makes git apply a difference.
func apply(t failer, dir, patch string) {
	t.Helper()
	if patch == "" {
		return
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s\n%s", err, out, patch)
	}
}

// wantApplied checks that git turns the first of two packages into the second.
func wantApplied(t failer, before, after []pkgmerge.File) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gitdiff")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer os.RemoveAll(dir)
	put(t, dir, before)
	patch := diff(t, before, after, "")
	apply(t, dir, patch)
	want := slices.Clone(after)
	slices.SortFunc(want, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	got := get(t, dir)
	slices.SortFunc(got, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	if d := cmp.Diff(listed(want), listed(got)); d != "" {
		t.Fatalf("git apply made another package (-want +got):\n%s\n%s", d, patch)
	}
}

// listed returns files as texts that can be compared.
func listed(files []pkgmerge.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, fmt.Sprintf("%q %s %q", f.Name, gitrepo.Mode(f.Mode), f.Data))
	}
	return all
}

// drawFile draws a file of few lines, so that files are alike, with unusual bytes and modes.
func drawFile(t *rapid.T, name string) pkgmerge.File {
	f := pkgmerge.File{Name: name, Mode: 0o644}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return pkgmerge.File{Name: name, Mode: fs.ModeSymlink, Data: []byte(rapid.SampledFrom([]string{"a", "../x y", "ü\nb"}).Draw(t, "target"))}
	case 1:
		f.Data = rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "bytes")
	case 2:
		f.Mode = 0o755
		fallthrough
	default:
		line := rapid.SampledFrom([]string{"a: 1\n", "  b: 2\n", "  c: 3\r\n", "\n", "- x\n", "-- y\n", "+++ z\n", "\\ d\n", "ä\x80\n", "\x1b[1m\n"})
		f.Data = []byte(strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), ""))
		if rapid.Bool().Draw(t, "unended") {
			f.Data = bytes.TrimSuffix(f.Data, []byte("\n"))
		}
	}
	return f
}

// drawFiles draws a package.
func drawFiles(t *rapid.T, names []string) []pkgmerge.File {
	var files []pkgmerge.File
	for _, name := range names {
		if rapid.Bool().Draw(t, name) {
			files = append(files, drawFile(t, name))
		}
	}
	return files
}

// TestLawGitApplies: git turns one package into the other by the difference.
func TestLawGitApplies(t *testing.T) {
	names := []string{"a.yaml", "b.yaml", "sub/a.yaml", "sub/deep/c d.yaml", "ü\t\"\\.yaml", "d\xff", " e "}
	rapid.Check(t, func(t *rapid.T) {
		before := drawFiles(t, names)
		after := drawFiles(t, names)
		for i, f := range after { // often a change of an earlier file
			for _, old := range before {
				if rapid.Bool().Draw(t, "keep") && (old.Name == f.Name || rapid.IntRange(0, 3).Draw(t, "move") == 0) {
					after[i] = edited(t, old, f.Name)
				}
			}
		}
		wantApplied(t, before, after)
	})
}

// edited returns a changed file with a name.
func edited(t *rapid.T, f pkgmerge.File, name string) pkgmerge.File {
	f.Name = name
	if f.Mode&fs.ModeSymlink != 0 {
		return f
	}
	f.Mode = rapid.SampledFrom([]fs.FileMode{0o644, 0o755}).Draw(t, "mode")
	at := rapid.IntRange(0, len(f.Data)).Draw(t, "at")
	end := rapid.IntRange(at, min(len(f.Data), at+5)).Draw(t, "end")
	insert := rapid.SampledFrom([]string{"", "a: 1\n", "n", "\n"}).Draw(t, "insert")
	f.Data = slices.Concat(f.Data[:at], []byte(insert), f.Data[end:])
	return f
}

// TestGitAppliesFilesThatBecomeDirectories: a file becomes a directory, and a directory a file.
func TestGitAppliesFilesThatBecomeDirectories(t *testing.T) {
	wantApplied(t, []pkgmerge.File{text("a", "1\n"), text("b/c", "2\n"), text("b/d/e", "3\n")}, []pkgmerge.File{text("a/b", "4\n"), text("a/c/d", "5\n"), text("b", "6\n")})
}

// TestGitAppliesBinaries: a binary file larger than a line of a patch, and one that is binary on
// one side only.
func TestGitAppliesBinaries(t *testing.T) {
	binary := func(name string, size int) pkgmerge.File {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * i)
		}
		return pkgmerge.File{Name: name, Mode: 0o644, Data: data}
	}
	wantApplied(t, []pkgmerge.File{binary("a", 1000), binary("b", 1), binary("gone", 99)}, []pkgmerge.File{binary("a", 1007), {Name: "b", Mode: 0o755}, binary("new", 5000)})
}

func text(name, data string) pkgmerge.File {
	return pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(data)}
}

// numbers returns numbered lines.
func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestDiffFindsRenames: a renamed and changed file is shown as a rename.
func TestDiffFindsRenames(t *testing.T) {
	before := []pkgmerge.File{text("a.yaml", numbers(1, 10)), text("b.yaml", numbers(100, 110)), text("gone.yaml", "x\n")}
	after := []pkgmerge.File{text("new/a.yaml", numbers(1, 9)+"x\n"), text("new/b.yaml", numbers(101, 111)), text("unlike.yaml", "y\n")}
	got := diff(t, before, after, "")
	for _, want := range []string{
		"diff --git a/a.yaml b/new/a.yaml\nsimilarity index 88%\nrename from a.yaml\nrename to new/a.yaml\n",
		"rename from b.yaml\nrename to new/b.yaml\n",
		"diff --git a/gone.yaml b/gone.yaml\ndeleted file mode 100644\n",
		"diff --git a/unlike.yaml b/unlike.yaml\nnew file mode 100644\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in:\n%s", want, got)
		}
	}
	wantApplied(t, before, after)
}

// TestDiffBelow: names begin with the package's directory in its repository.
func TestDiffBelow(t *testing.T) {
	got := diff(t, []pkgmerge.File{text("a", "1\n")}, []pkgmerge.File{text("a", "2\n")}, "pkg/shop")
	want := "diff --git a/pkg/shop/a b/pkg/shop/a\nindex d00491f..0cfbf08 100644\n--- a/pkg/shop/a\n+++ b/pkg/shop/a\n@@ -1 +1 @@\n-1\n+2\n"
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}

// TestDiffIgnoresConfiguration: the difference of a user who shows none to git apply is applied, too.
func TestDiffIgnoresConfiguration(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[diff]\nnoprefix = true\nexternal = false\n[color]\nui = always\n[core]\nquotePath = false\nabbrev = 40\n[init]\ndefaultObjectFormat = sha256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, after := []pkgmerge.File{text("ä", "1\n")}, []pkgmerge.File{text("ä", "2\n")}
	want := diff(t, before, after, "")
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	if d := cmp.Diff(want, diff(t, before, after, "")); d != "" {
		t.Error(d)
	}
}

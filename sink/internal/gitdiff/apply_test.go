package gitdiff

import (
	"bytes"
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
		if err == nil && isLink(f) {
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
func diff(t failer, before, after []pkgmerge.File, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, before, after, o); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
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
	patch := diff(t, before, after, Options{})
	apply(t, dir, patch)
	want := slices.Clone(after)
	slices.SortFunc(want, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	got := get(t, dir)
	slices.SortFunc(got, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	if d := cmp.Diff(texts(want), texts(got)); d != "" {
		t.Fatalf("git apply made another package (-want +got):\n%s\n%s", d, patch)
	}
}

// texts returns files as texts that can be compared.
func texts(files []pkgmerge.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, fmt.Sprintf("%q %s %q", f.Name, mode(f), f.Data))
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
		for i, f := range after { // often a change of what was there
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
	if isLink(f) {
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
	text := func(name string) pkgmerge.File {
		return pkgmerge.File{Name: name, Mode: 0o644, Data: []byte("text of " + name + "\n")}
	}
	wantApplied(t, []pkgmerge.File{text("a"), text("b/c"), text("b/d/e")}, []pkgmerge.File{text("a/b"), text("a/c/d"), text("b")})
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

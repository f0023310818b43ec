package gitdiff

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

func file(name, data string) pkgmerge.File {
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

const list = "spec:\n  ports:\n  - name: a\n    port: 1\n  - name: c\n    port: 3\n"

// TestWriteIsAsGit: Write writes the same text as git.
func TestWriteIsAsGit(t *testing.T) {
	script := file("script.sh", "echo\n")
	script.Mode = 0o755
	link := pkgmerge.File{Name: "link", Mode: fs.ModeSymlink, Data: []byte("a.yaml")}
	for _, c := range []struct {
		name          string
		before, after []pkgmerge.File
	}{
		{"a line changed", []pkgmerge.File{file("a.yaml", numbers(1, 20))}, []pkgmerge.File{file("a.yaml", numbers(1, 9)+"x\n"+numbers(11, 20))}},
		{"two hunks", []pkgmerge.File{file("a.yaml", numbers(1, 40))}, []pkgmerge.File{file("a.yaml", numbers(2, 20)+"x\n"+numbers(21, 40))}},
		{"hunks that touch", []pkgmerge.File{file("a.yaml", numbers(1, 40))}, []pkgmerge.File{file("a.yaml", numbers(1, 9)+numbers(11, 16)+numbers(18, 40))}},
		{"hunks that do not", []pkgmerge.File{file("a.yaml", numbers(1, 40))}, []pkgmerge.File{file("a.yaml", numbers(1, 9)+numbers(11, 17)+numbers(19, 40))}},
		{"new", nil, []pkgmerge.File{file("a.yaml", "a: 1\n"), file("empty", "")}},
		{"deleted", []pkgmerge.File{file("a.yaml", "a: 1\nb: 2"), file("empty", "")}, nil},
		{"no line break at the end any more", []pkgmerge.File{file("a.yaml", "a: 1\nb: 2\n")}, []pkgmerge.File{file("a.yaml", "a: 1\nb: 2")}},
		{"no line break at the end, never", []pkgmerge.File{file("a.yaml", "a: 1\nb: 2")}, []pkgmerge.File{file("a.yaml", "a: 2\nb: 2")}},
		{"modes", []pkgmerge.File{file("script.sh", "echo\n")}, []pkgmerge.File{script}},
		{"a file becomes a link", []pkgmerge.File{file("link", "a: 1\n")}, []pkgmerge.File{link}},
		{"renamed", []pkgmerge.File{file("a.yaml", numbers(1, 9))}, []pkgmerge.File{file("sub/b.yaml", numbers(1, 9))}},
		{"names", []pkgmerge.File{file("ä b\t.yaml", "a\n"), file("c d.yaml", "b\n")}, []pkgmerge.File{file("ä b\t.yaml", "c\n"), file("c d.yaml", "d\n")}},
		{"an element that came", []pkgmerge.File{file("a.yaml", list)}, []pkgmerge.File{file("a.yaml", strings.Replace(list, "  - name: c\n", "  - name: b\n    port: 2\n  - name: c\n", 1))}},
		{"an element like its neighbours", []pkgmerge.File{file("a.yaml", "a:\n- x\n- y\n- x\n- y\nb: 1\n")}, []pkgmerge.File{file("a.yaml", "a:\n- x\n- y\n- x\n- y\n- x\n- y\nb: 1\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, side := range []string{"before", "after"} {
				if err := os.Mkdir(filepath.Join(dir, side), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			put(t, filepath.Join(dir, "before"), c.before)
			put(t, filepath.Join(dir, "after"), c.after)
			got, want := diff(t, c.before, c.after, Options{}), gitDiff(t, dir)
			if cmp.Diff(want, got) != "" {
				t.Errorf("git writes:\n%s\nthis is:\n%s", want, got)
			}
			wantApplied(t, c.before, c.after)
		})
	}
}

// gitDiff returns git's difference between the directories before and after.
func gitDiff(t *testing.T, dir string) string {
	t.Helper()
	git := func(arguments ...string) string {
		cmd := exec.Command("git", arguments...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, "git"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", arguments, err)
		}
		return string(out)
	}
	git("init", "-q", "--bare", filepath.Join(dir, "git"))
	git("--work-tree=before", "add", "-A")
	before := strings.TrimSpace(git("write-tree"))
	git("--work-tree=after", "add", "-A")
	after := strings.TrimSpace(git("write-tree"))
	return git("diff", "--binary", "--abbrev=7", "--find-renames", before, after)
}

// TestWriteFindsRenames: a renamed and changed file is shown as a rename.
func TestWriteFindsRenames(t *testing.T) {
	before := []pkgmerge.File{file("a.yaml", numbers(1, 10)), file("b.yaml", numbers(100, 110)), file("gone.yaml", "x\n")}
	after := []pkgmerge.File{file("new/a.yaml", numbers(1, 9)+"x\n"), file("new/b.yaml", numbers(101, 111)), file("unlike.yaml", "y\n")}
	got := diff(t, before, after, Options{})
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

// TestWriteBelow: names begin with the package's directory in its repository.
func TestWriteBelow(t *testing.T) {
	got := diff(t, []pkgmerge.File{file("a", "1\n")}, []pkgmerge.File{file("a", "2\n")}, Options{Below: "pkg/shop"})
	want := "diff --git a/pkg/shop/a b/pkg/shop/a\nindex d00491f..0cfbf08 100644\n--- a/pkg/shop/a\n+++ b/pkg/shop/a\n@@ -1 +1 @@\n-1\n+2\n"
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}

// TestWriteForATerminal: control characters in contents and names do not reach a terminal.
func TestWriteForATerminal(t *testing.T) {
	before := []pkgmerge.File{file("a", "kept\x1b[2J\na\u202eb\n"), file("b", "\x00")}
	after := []pkgmerge.File{file("a", "kept\x1b[2J\na\tb\r\n"), file("b", "\x00\x00")}
	got := diff(t, before, after, Options{Terminal: true, Color: true})
	want := "\x1b[1mdiff --git a/a b/a\x1b[m\n\x1b[1mindex " + hash(&before[0])[:7] + ".." + hash(&after[0])[:7] + " 100644\x1b[m\n\x1b[1m--- a/a\x1b[m\n\x1b[1m+++ b/a\x1b[m\n" +
		"\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n kept\\u001b[2J\n\x1b[31m-a\\u202eb\x1b[m\n\x1b[32m+a\tb\\u000d\x1b[m\n" +
		"\x1b[1mdiff --git a/b b/b\x1b[m\n\x1b[1mindex " + hash(&before[1])[:7] + ".." + hash(&after[1])[:7] + " 100644\x1b[m\n\x1b[1mBinary files a/b and b/b differ\x1b[m\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestWriteLargeFile: in a file of 50,000 lines exactly the changed lines are shown.
func TestWriteLargeFile(t *testing.T) {
	var before, after strings.Builder
	changed := 0
	for i := range 50_000 {
		line := fmt.Sprintf("  key%d: %d\n", i%500, i/7)
		before.WriteString(line)
		if i%50 == 0 {
			line = fmt.Sprintf("  key%d: changed %d\n", i%500, i)
			changed++
		}
		after.WriteString(line)
	}
	got := diff(t, []pkgmerge.File{file("a", before.String())}, []pkgmerge.File{file("a", after.String())}, Options{})
	if n := strings.Count(got, "\n+ "); n != changed {
		t.Errorf("%d lines came, want %d", n, changed)
	}
}

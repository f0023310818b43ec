package blame_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/blame"
)

// TestGrowth counts the bytes that an annotation allocates for a file of n documents and for one of 2n. All documents
// changed in each commit, and the versions are larger than the texts that are kept: the bytes grow with the file.
func TestGrowth(t *testing.T) {
	const n, most = 300, 2.6
	small, large := allocated(t, n), allocated(t, 2*n)
	if growth := float64(large) / float64(small); growth > most {
		t.Errorf("%d bytes for %d documents, %d for %d: %.1f times as many", small, n, large, 2*n, growth)
	}
}

// allocated returns the bytes that the annotation of a file of n documents of 3 KB allocates.
func allocated(t *testing.T, n int) uint64 {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	file := filepath.Join(dir, "all.yaml")
	for version := range 3 {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-%d\ndata:\n  version: v%d\n  text: %s\n", i, version, strings.Repeat("word ", 600))
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-qm", "a version")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := blame.Run(t.Context(), blame.Options{File: file, Warn: func(err error) { t.Error(err) }}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestGrowth: to settle four times the equal conflicts with one key takes at most six times the memory, and so
// does it with one key each. 10,000 conflicts are settled with two keys.
func TestGrowth(t *testing.T) {
	allocated := func(n int, answers string) uint64 {
		dir := t.TempDir()
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m-%d\ndata:\n<<<<<<< ours\n  a: \"1\"\n=======\n  a: \"2\"\n>>>>>>> theirs\n---\n", i)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		left, err := Run(t.Context(), Options{Dir: dir, In: strings.NewReader(answers), Out: &out})
		runtime.ReadMemStats(&after)
		if err != nil || left != 0 {
			t.Fatal(left, err)
		}
		result, err := os.ReadFile(filepath.Join(dir, "a.yaml"))
		if err != nil || strings.Contains(string(result), "<<<") || strings.Count(string(result), "a: \"2\"") != n {
			t.Fatalf("%v:\n%.300s", err, result)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(2500, "u\na\n"), allocated(10000, "u\na\n"); many > 6*few {
		t.Errorf("%d bytes for 2,500 conflicts with one key, %d for 10,000", few, many)
	}
	if few, many := allocated(100, strings.Repeat("u\n", 100)), allocated(400, strings.Repeat("u\n", 400)); many > 6*few {
		t.Errorf("%d bytes for 100 conflicts with a key each, %d for 400", few, many)
	}
}

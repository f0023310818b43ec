package tests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestLawsAreRepeatable fails for a package whose laws draw from a new seed in
// every run: such a run fails one day for nothing that changed that day.
func TestLawsAreRepeatable(t *testing.T) {
	draws, seeded := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if match, _ := filepath.Match("*_test.go", d.Name()); err != nil || !match {
			return err
		}
		text, err := os.ReadFile(path)
		dir := filepath.Dir(path)
		draws[dir] = draws[dir] || bytes.Contains(text, []byte("\"pgregory.net/rapid\"\n"))
		seeded[dir] = seeded[dir] || bytes.Contains(text, []byte("seed.Main(m)"))
		return err
	})
	if err != nil || len(draws) < 5 {
		t.Fatalf("%d directories with tests, %v", len(draws), err)
	}
	for dir := range draws {
		if draws[dir] && !seeded[dir] {
			t.Errorf("%s: TestMain does not call seed.Main of tests/seed", dir)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestShareOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.yaml": "kind: A\nspec: >-\n  b\n  c\n---\nkind: B\n",
		"other.yml":  "kind: &c D\n",
		"text.md":    "# E\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := shareOf(dir)
	if err != nil || s.documents != 3 || s.skimmed != s.treed || s.bytes-s.skimmed != len("kind: &c D\n") {
		t.Errorf("%+v, %v", s, err)
	}
}

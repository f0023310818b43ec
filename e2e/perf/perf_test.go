package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun measures the smallest sizes once and looks whether everything is in
// the report. How long things take is not looked at.
func TestRun(t *testing.T) {
	t.Chdir("..")
	docs := t.TempDir()
	file := filepath.Join(docs, "benchmark.md")
	if err := os.WriteFile(file, []byte("above\n"+begin+"old\n"+end+"below\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := options{sizes: []int{10}, runs: 1, cap: time.Nanosecond, linear: 1, docs: docs}
	if err := run(opts, t.Output()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(names(), "above\n", "below\n", "as JSON | 10 |", "keyed list", "tiny", "deep schemas, all changed", "start-up", "binary") {
		if !strings.Contains(string(data), text) {
			t.Errorf("the report lacks %q", text)
		}
	}
	if strings.Contains(string(data), "old") {
		t.Error("the report still has what was there")
	}
}

func TestRewriteNeedsMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "benchmark.md")
	if err := os.WriteFile(file, []byte("no marks\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file, "text"); err == nil {
		t.Error("a file without marks was rewritten")
	}
}

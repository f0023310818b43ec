package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeTranscripts runs the commands of the console blocks of README and of
// the pages in docs, each document's in a directory of its own that has the
// quickstart and an example where the repository has them, and finds output that the
// document does not show. `go test -run TestReadme -update` writes it there, to be
// read as a diff.
func TestReadmeTranscripts(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files := readTree(t, "../testdata/quickstart").under("testdata/quickstart").and(readTree(t, "../examples/apply-gate").under("examples/apply-gate")).and(readTree(t, "../examples/chart-values").under("examples/chart-values"))
	shown := 0
	for _, file := range append([]string{"../README.md"}, pages...) {
		t.Run(filepath.Base(file), func(t *testing.T) { shown += replayDocument(t, file, files) })
	}
	if shown == 0 {
		t.Error("no document shows a transcript")
	}
}

// replayDocument replays one document and returns the number of its transcripts.
func replayDocument(t *testing.T, file string, files tree) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	now, blocks := newShell(t, files).replayAll(t, document)
	switch {
	case now == document:
	case *update:
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s shows another output (-shown +now):\n%s", file, cmp.Diff(lines(document), lines(now)))
	}
	return blocks
}

func lines(text string) []string { return strings.Split(text, "\n") }

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeTranscripts runs the commands of README's console blocks in a
// directory that has the quickstart's package where the repository has it, and
// finds output that README does not show. `go test -run TestReadme -update`
// writes it there, to be read as a diff.
func TestReadmeTranscripts(t *testing.T) {
	const file = "../README.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	quickstart := readTree(t, "../testdata/quickstart").under("testdata/quickstart")
	now, blocks := newShell(t, quickstart).replayAll(t, readme)
	switch {
	case blocks == 0:
		t.Error("README shows no transcript")
	case now == readme:
	case *update:
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("README shows another output (-README +now):\n%s", cmp.Diff(lines(readme), lines(now)))
	}
}

func lines(text string) []string { return strings.Split(text, "\n") }

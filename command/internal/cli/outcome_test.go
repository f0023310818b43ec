package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// TestReportFitsTerminal: on a terminal of 80 columns no line of a text report is longer, but for a word that is.
func TestReportFitsTerminal(t *testing.T) {
	result := collidingResult(t)
	r, err := report.New(result, report.Options{Prefix: "a/directory/with/a/rather/long/name/in/a/repository/of/many"})
	if err != nil {
		t.Fatal(err)
	}
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		data, _ := io.ReadAll(screen) // the end of a terminal is an error
		text <- string(data)
	}()
	open, err := reportfile.Open([]reportfile.Output{{Format: report.Formats()[0]}}, tty, tty)
	if err == nil {
		err = open.Write(r)
	}
	if err := errors.Join(err, tty.Close()); err != nil {
		t.Fatal(err)
	}
	shown := <-text
	for line := range strings.Lines(shown) {
		if line = strings.TrimRight(line, "\r\n"); utf8.RuneCountInString(line) > 80 && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("a line is longer than the terminal: %s", line)
		}
	}
	if !strings.Contains(shown, "conflict: ") || !strings.Contains(shown, "\n  ") {
		t.Errorf("the terminal shows %q", shown)
	}
}

// TestQuietBuildsNoReport: merge, update and apply finish alike, and only a report finds out where a conflict is in the
// files. So a quiet run without --report locates none, and builds no report.
func TestQuietBuildsNoReport(t *testing.T) {
	result := collidingResult(t)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	for _, quiet := range [2]bool{true, false} {
		located := 0
		locate := func(c *pkgmerge.Change, path *merge.Path) (string, int) {
			located++
			return result.Location(c, path)
		}
		reports, err := (&common{quiet: quiet}).outputs(false)
		if err != nil {
			t.Fatal(err)
		}
		done := outcome{result: result, parts: []mergedPart{{mergeResult: &mergeResult{Result: result, locate: locate}}}}
		if err := done.finish(t.Context(), &output{reportOnly: true}, reports, localPackage{}, streams{out: stderr, err: stderr}); err != nil {
			t.Fatal(err)
		}
		if isBuilt := located > 0; isBuilt == quiet {
			t.Errorf("quiet is %v: a report is built: %v", quiet, isBuilt)
		}
	}
	if text, err := os.ReadFile(stderr.Name()); err != nil || len(text) == 0 {
		t.Errorf("a run that is not quiet reports nothing: %v", err)
	}
}

// collidingResult merges a resource with one field that both sides changed.
func collidingResult(t *testing.T) *pkgmerge.Result {
	t.Helper()
	var packages [3]pkgmerge.Package
	for side, value := range [3]string{identity.Origin: "one", identity.Upstream: "two", identity.Local: "three"} {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: " + value + "\n"
		var err error
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "settings.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{})
	if err != nil || len(result.Changes[0].Conflicts) != 1 {
		t.Fatal("want one conflict", err)
	}
	return result
}

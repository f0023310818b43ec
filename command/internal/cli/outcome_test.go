package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

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

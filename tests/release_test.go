package tests

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestEnginesRequireRelease: the modules in engines require the newest release, because the
// replace in their go.mod does not count for those who get them. Before the first release they
// require that one.
func TestEnginesRequireRelease(t *testing.T) {
	want := "v1.0.0"
	if newest := regexp.MustCompile(`(?m)^## \[(\d[^]]*)\]`).FindSubmatch(readOptional(t, "CHANGELOG.md")); newest != nil {
		want = "v" + string(newest[1])
	}
	files, err := filepath.Glob("engines/*/go.mod")
	if err != nil || len(files) < 2 {
		t.Fatalf("found the modules %v: %v", files, err)
	}
	for _, file := range files {
		required := regexp.MustCompile(`(?m)^(?:require |\t)github.com/resource-merge/resource-merge (\S+)$`).FindSubmatch(readOptional(t, file))
		if required == nil || string(required[1]) != want {
			t.Errorf("%s requires %q, want %s", file, required, want)
		}
	}
}

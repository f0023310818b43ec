package tests

import (
	"regexp"
	"testing"
)

// TestEngineRequiresRelease: engines/kpt requires the newest release, because the
// replace in its go.mod does not count for those who get it. Before the first release it
// requires that one.
func TestEngineRequiresRelease(t *testing.T) {
	want := "v1.0.0"
	if newest := regexp.MustCompile(`(?m)^## \[(\d[^]]*)\]`).FindSubmatch(readOptional(t, "CHANGELOG.md")); newest != nil {
		want = "v" + string(newest[1])
	}
	required := regexp.MustCompile(`(?m)^require github.com/resource-merge/resource-merge (\S+)$`).
		FindSubmatch(readOptional(t, "engines/kpt/go.mod"))
	if required == nil || string(required[1]) != want {
		t.Errorf("engines/kpt/go.mod requires %q, want %s", required, want)
	}
}

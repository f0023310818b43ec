package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCitations finds citations of sections that docs/design.md does not have, in
// code, cases and documents. An item of a section's numbered list is cited like a
// section below it: design 4.5.
func TestCitations(t *testing.T) {
	sections := designSections(t)
	citation := regexp.MustCompile(`(?i)\bdesign,? (\d+(?:\.\d+)*)`)
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".go" && ext != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, cited := range citation.FindAllStringSubmatch(string(text), -1) {
			found++
			if !sections[cited[1]] {
				t.Errorf("%s cites %q, which docs/design.md does not have", path, cited[0])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d citations, %v", found, err)
	}
}

// designSections are the numbers of the design's sections and of the items of
// their numbered lists.
func designSections(t *testing.T) map[string]bool {
	t.Helper()
	heading := regexp.MustCompile(`^#+ (\d+(?:\.\d+)*)\.? `)
	item := regexp.MustCompile(`^(\d+)\. `)
	out := map[string]bool{}
	section := ""
	for line := range strings.Lines(string(readOptional(t, "docs/design.md"))) {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
			out[section] = true
		} else if m := item.FindStringSubmatch(line); m != nil {
			out[section+"."+m[1]] = true
		}
	}
	return out
}

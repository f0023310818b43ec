package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDesignIsCited finds citations of sections that docs/design.md does not have.
// Code, scripts and cases cite it as "design 3.3".
func TestDesignIsCited(t *testing.T) {
	design, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (\d+(?:\.\d+)?)\.? `).FindAllStringSubmatch(string(design), -1) {
		sections[heading[1]] = true
	}
	files, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	wrapped := regexp.MustCompile(`\n\s*(//|#)?\s*`)
	citation := regexp.MustCompile(`(?i)\bdesign (\d+(?:\.\d+)*)`)
	cited := 0
	for file := range strings.Lines(string(files)) {
		text, err := os.ReadFile(strings.TrimSpace(file))
		if err != nil {
			continue // it is listed and was removed
		}
		for _, found := range citation.FindAllStringSubmatch(wrapped.ReplaceAllString(string(text), " "), -1) {
			cited++
			if !sections[found[1]] {
				t.Errorf("%s cites design %s, a section that docs/design.md does not have", strings.TrimSpace(file), found[1])
			}
		}
	}
	if len(sections) < 20 || cited < 100 {
		t.Errorf("found %d sections and %d citations, want all", len(sections), cited)
	}
}

package report_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/report"
)

// TestDocumentedSamples finds lines of a sample in docs/reports.md that the quickstart's
// report does not have, and formats without a sample. `...` stands for lines that are left
// out.
func TestDocumentedSamples(t *testing.T) {
	text, err := os.ReadFile("../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Formats() {
		_, section, found := strings.Cut(string(text), "\n## "+f.Name+"\n")
		if !found {
			t.Errorf("docs/reports.md has no section %s", f.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		fence := "```"
		if f.Name == "markdown" { // which has fences of its own
			fence = "````"
		}
		block := regexp.MustCompile("(?s)\n" + fence + "(?:text|markdown|html|json|xml)\n(.*?\n)" + fence + "(?:\n|$)")
		blocks := block.FindAllStringSubmatch(section, -1)
		if len(blocks) != 1 {
			t.Errorf("%s: %d samples", f.Name, len(blocks))
			continue
		}
		golden, err := os.ReadFile("testdata/quickstart." + extension(f.Name))
		if err != nil {
			t.Fatal(err)
		}
		rest := string(golden)
		for _, part := range strings.Split(blocks[0][1], "...\n") {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: the report does not have, where the document shows it:\n%s", f.Name, part)
			}
			rest = after
		}
	}
}

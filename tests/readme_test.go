package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks finds links of the documents to files that are not there.
func TestLinks(t *testing.T) {
	for _, document := range documentation(t) {
		text := string(readOptional(t, document))
		for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
			file, _, _ := strings.Cut(link[1], "#")
			if strings.HasPrefix(file, "https://") || file == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), file)); err != nil {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
}

// documentation lists the documents at the top and in docs.
func documentation(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	return files
}

// TestLibraryExamples finds lines of Go in docs/library.md that no test of pkgmerge
// runs.
func TestLibraryExamples(t *testing.T) {
	run := string(readOptional(t, "pkgmerge/example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readOptional(t, "docs/library.md")), -1)
	if len(blocks) == 0 {
		t.Error("docs/library.md shows no Go")
	}
	for _, block := range blocks {
		if !strings.Contains(run, block[1]) {
			t.Errorf("pkgmerge/example_test.go does not run:\n%s", block[1])
		}
	}
}

// TestReadmeQuickstart finds lines of the output that README shows which the
// quickstart does not print. `...` stands for lines that are left out.
func TestReadmeQuickstart(t *testing.T) {
	_, section, _ := strings.Cut(string(readOptional(t, "README.md")), "## Try it")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("README shows %d blocks of output, want 2", len(blocks))
	}
	for i, file := range []string{"expected.yaml", "results.yaml"} {
		rest := string(readOptional(t, "testdata/quickstart/"+file))
		for _, part := range strings.Split(blocks[i][1], "...\n") {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s does not have, where README shows it:\n%s", file, part)
			}
			rest = after
		}
	}
}

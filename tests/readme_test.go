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

// documentation lists the documents at the top, in docs and of the engines.
func documentation(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "engines/*/*.md"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	return files
}

// TestLibraryExamples finds lines of Go in docs/library.md that no example of a package
// runs.
func TestLibraryExamples(t *testing.T) {
	var run string
	for _, file := range []string{"pkgmerge/example_test.go", "report/example_test.go", "source/example_test.go"} {
		run += string(readOptional(t, file))
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readOptional(t, "docs/library.md")), -1)
	if len(blocks) == 0 {
		t.Error("docs/library.md shows no Go")
	}
	for _, block := range blocks {
		if !strings.Contains(run, block[1]) {
			t.Errorf("no example runs:\n%s", block[1])
		}
	}
}

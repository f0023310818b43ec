package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinks finds links of the documents to files and headings that are not there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]*)\)`)
	for _, document := range documentation(t) {
		text := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(string(readOptional(t, document)), "")
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
				continue
			}
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", document, err)
			} else if anchor != "" && filepath.Ext(target) == ".md" && !slices.Contains(anchors(string(readOptional(t, target))), anchor) {
				t.Errorf("%s: %s has no heading #%s", document, target, anchor)
			}
		}
	}
}

// anchors returns the anchors that GitHub makes of the headings of a Markdown text.
func anchors(text string) []string {
	var out []string
	for _, heading := range headingsOf(text) {
		heading = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(heading, "")
		heading = regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading), "")
		out = append(out, strings.ReplaceAll(heading, " ", "-"))
	}
	return out
}

// documentation lists the documents that people read: all files in Markdown, but for those
// that tests compare with.
func documentation(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "expected" || d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLibraryExamples finds lines of Go in docs/library.md that no example of a package
// runs.
func TestLibraryExamples(t *testing.T) {
	var run string
	for _, file := range []string{"pkgmerge/example_test.go", "apply/example_test.go", "report/example_test.go", "source/example_test.go", "examples/go-pipeline/main.go"} {
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

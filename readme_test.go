package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeLinks finds links of README to files that are not there.
func TestReadmeLinks(t *testing.T) {
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(readme), -1) {
		if strings.HasPrefix(link[1], "https://") {
			continue
		}
		if _, err := os.Stat(link[1]); err != nil {
			t.Error(err)
		}
	}
}

// TestReadmeQuickstart finds lines of the output that README shows which the
// quickstart does not print. `...` stands for lines that are left out.
func TestReadmeQuickstart(t *testing.T) {
	_, section, _ := strings.Cut(string(readme), "## Try it")
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

// TestReadmeConfig finds fields and keys of the function config that README does
// not show.
func TestReadmeConfig(t *testing.T) {
	for _, name := range []string{"strategy", "origin-path", "origin-dir", "origin-none", "keep-sources", "conflicts", "infer-list-keys", "merge-comment"} {
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("README does not tell of %s", name)
		}
	}
}

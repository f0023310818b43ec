package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each row of the threat model names tests, and each of these exists in the file that the
// row names.
func TestThreatModelNamesTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Threat model\n")
	section, _, _ = strings.Cut(section, "\n## ")
	file := regexp.MustCompile(`\]\((\S+_test\.go)\)((?:,? ` + "`\\w+`" + `)+)`)
	rows := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who ") {
			continue
		}
		rows++
		named := file.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("a row names no test: %s", line)
		}
		for _, m := range named {
			source, err := os.ReadFile(filepath.FromSlash(m[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			for name := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return strings.ContainsRune(", `", r) }) {
				if !strings.Contains(string(source), "\nfunc "+name+"(") {
					t.Errorf("%s has no test %s", m[1], name)
				}
			}
		}
	}
	if rows < 10 {
		t.Errorf("the threat model has %d rows", rows)
	}
}

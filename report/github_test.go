package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/report"
)

// checkGitHub finds a line that is no command, or one with more properties than the
// format writes.
func checkGitHub(t fatal, text string) {
	command := regexp.MustCompile(`^::(error|warning|notice)( (file=[^:,]*)?,?(line=\d+)?,?(title=[^:,]*)?)?::[^\n]*\n$`)
	for line := range strings.Lines(text) {
		if !command.MatchString(line) {
			t.Fatalf("no command: %q", line)
		}
	}
}

func TestGitHubEscapes(t *testing.T) {
	r := &report.Report{Notices: []report.Notice{{Severity: "warning", Message: "100%: a\nb", File: "a,b:c%.yaml", Line: 3}}}
	want := "::warning file=a%2Cb%3Ac%25.yaml,line=3::100%25: a%0Ab\n::notice title=resource-merge::\n"
	if got := written(t, format("github"), r); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

package cli_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestUpstreamsPage finds lines of docs/upstreams.md that testdata/upstreams.txt does not run. Lines about a
// host that does not exist cannot run.
func TestUpstreamsPage(t *testing.T) {
	page, script := readText(t, "../../../docs/upstreams.md"), readText(t, "testdata/upstreams.txt")
	lines := regexp.MustCompile("(?m)^\\|.*`(resource-merge .*)` \\|$").FindAllStringSubmatch(page, -1)
	for _, line := range lines {
		needsHost := strings.Contains(line[1], "example.com")
		if !needsHost && !strings.Contains(script, "exec "+line[1]) {
			t.Errorf("no test runs %s", line[1])
		}
	}
	if len(lines) < 8 {
		t.Errorf("found only %d lines", len(lines))
	}
}

// TestRenovateExpression reads the config that docs/upstreams.md shows with the expression that it shows.
func TestRenovateExpression(t *testing.T) {
	page := readText(t, "../../../docs/upstreams.md")
	text := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(page)
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page)
	var config struct {
		CustomManagers []struct{ MatchStrings []string }
	}
	if err := json.Unmarshal([]byte(text[1]), &config); err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(config.CustomManagers[0].MatchStrings[0]).FindStringSubmatch(shown[1])
	if got := strings.Join(match[min(1, len(match)):], " "); got != "github-tags metallb/metallb v0.13.10" {
		t.Errorf("the expression finds %q", got)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

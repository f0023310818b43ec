package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/report"
)

// Reports of values name files from the top of their repository, else from the working directory, however the files were named: no report has a path
// of the machine.
func TestValuesReportsHaveNoPathsOfTheMachine(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"v1/Chart.yaml": "name: a\nversion: 1.0.0\n", "v1/values.yaml": "a: 1\n", "v1/templates/a.yaml": "{{ .Values.a }}\n",
		"v2/Chart.yaml": "name: a\nversion: 2.0.0\n", "v2/values.yaml": "a: 2\n", "v2/templates/a.yaml": "{{ .Values.a }}\n",
		"repo/env/shop/own.yaml": "a: 1\nother: 2\n", "out/own.yaml": "a: 1\nother: 2\n", "out/last.yaml": "other: 3\n",
	} {
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, filepath.Join(top, "repo"), "init", "-q")
	if err := os.Symlink(filepath.Join(top, "repo"), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][4]string{ // the working directory, the first file, and the names of both files in reports
		{"out", "repo/env/shop/own.yaml", "env/shop/own.yaml", "last.yaml"},
		{"repo/env", "repo/env/shop/own.yaml", "env/shop/own.yaml", "../../out/last.yaml"},
		{"v1", "link/env/shop/own.yaml", "env/shop/own.yaml", "../out/last.yaml"},
		{"out", "out/own.yaml", "own.yaml", "last.yaml"},
		{"repo/env", "out/own.yaml", "../../out/own.yaml", "../../out/last.yaml"},
		{"link", "out/own.yaml", "../out/own.yaml", "../out/last.yaml"},
	} {
		for _, format := range report.Formats() {
			args := []string{"values", "--origin", filepath.Join(top, "v1"), "--upstream", filepath.Join(top, "v2"), "--report", format.Name + "=-"}
			done := runIn(t, filepath.Join(top, c[0]), "", append(args, "--local", filepath.Join(top, c[1]), "--local", filepath.Join(top, "out/last.yaml"))...)
			if done.code != 0 || strings.Contains(done.out+done.errors, top) {
				t.Errorf("%s in %s: code %d, %s has a path of the machine:\n%s%s", format.Name, c[0], done.code, c[1], done.out, done.errors)
			}
			hasPlaces := format.Name != "markdown"
			if !strings.Contains(done.out, c[3]+" overrides it") || hasPlaces && !strings.Contains(done.out, c[2]) {
				t.Errorf("%s in %s: want the names %s and %s:\n%s", format.Name, c[0], c[2], c[3], done.out)
			}
		}
	}
}

package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

func TestParseOutputs(t *testing.T) {
	for _, tt := range []struct {
		texts []string
		taken bool
		err   string
	}{
		{texts: []string{"text"}, taken: true},
		{texts: []string{"text", "json"}},
		{texts: []string{"text", "json=a", "markdown=b"}, taken: true},
		{texts: []string{"json"}, taken: true, err: "report json needs a file"},
		{texts: []string{"json", "markdown"}, err: "report markdown needs a file, markdown=FILE"},
		{texts: []string{"json=a", "markdown=a"}, err: "two reports go to a"},
		{texts: []string{"json="}, err: "names no file"},
		{texts: []string{"yaml"}, err: `report format "yaml" is not known, known are text, json`},
	} {
		outputs, err := report.ParseOutputs(tt.texts, tt.taken)
		switch {
		case tt.err == "" && (err != nil || len(outputs) != len(tt.texts)):
			t.Errorf("%q: %v", tt.texts, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q: error %v, want %q", tt.texts, err, tt.err)
		}
	}
}

// TestOutputs writes several reports; until then, files keep what they have.
func TestOutputs(t *testing.T) {
	there, fresh := filepath.Join(t.TempDir(), "there"), filepath.Join(t.TempDir(), "fresh")
	if err := os.WriteFile(there, bytes.Repeat([]byte("before\n"), 10_000), 0o644); err != nil {
		t.Fatal(err)
	}
	outputs, err := report.ParseOutputs([]string{"text", "json", "markdown=" + there, "text=" + fresh}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.Open([]report.Output{outputs[3], {Format: report.Text{}, File: filepath.Join(fresh, "no")}}, nil, nil); err == nil {
		t.Error("a file in no directory was opened")
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a file was left behind")
	}
	var stdout, stderr bytes.Buffer
	open, err := report.Open(outputs, &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(there); err != nil || !strings.HasPrefix(string(text), "before") {
		t.Errorf("the file has %.10q, %v", text, err)
	}
	r := reportOf(t, quickstart(t), pkgmerge.Options{}, report.Options{})
	if err := open.Write(r); err != nil {
		t.Fatal(err)
	}
	for file, format := range map[string]report.Format{there: report.Markdown{}, fresh: report.Text{}} {
		if text, err := os.ReadFile(file); err != nil || string(text) != written(t, format, r) {
			t.Errorf("%s: %v, and it has\n%s", format.Name(), err, text)
		}
	}
	if stdout.String() != written(t, report.JSON{}, r) || stderr.String() != written(t, report.Text{}, r) {
		t.Errorf("stdout has\n%s, stderr has\n%s", &stdout, &stderr)
	}
}

package reportfile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
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
		{texts: []string{"yaml"}, err: `report format "yaml" is not known; known are text, json`},
	} {
		outputs, err := reportfile.ParseOutputs(tt.texts, report.Formats(), tt.taken)
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
	outputs, err := reportfile.ParseOutputs([]string{"text", "json", "markdown=" + there, "text=" + fresh}, report.Formats(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reportfile.Open([]reportfile.Output{outputs[3], {Format: format("text"), File: filepath.Join(fresh, "no")}}, nil, nil); err == nil {
		t.Error("a file in no directory was opened")
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a file was left behind")
	}
	var stdout, stderr bytes.Buffer
	open, err := reportfile.Open(outputs, &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(there); err != nil || !strings.HasPrefix(string(text), "before") {
		t.Errorf("the file has %.10q, %v", text, err)
	}
	r := conflicting(t)
	if err := open.Write(r); err != nil {
		t.Fatal(err)
	}
	for file, format := range map[string]report.Format{there: format("markdown"), fresh: format("text")} {
		if text, err := os.ReadFile(file); err != nil || string(text) != written(t, format, r) {
			t.Errorf("%s: %v, and it has\n%s", format.Name, err, text)
		}
	}
	if stdout.String() != written(t, format("json"), r) || stderr.String() != written(t, format("text"), r) {
		t.Errorf("stdout has\n%s, stderr has\n%s", &stdout, &stderr)
	}
}

// conflicting returns the report of a merge with a conflict.
func conflicting(t *testing.T) *report.Report {
	t.Helper()
	var packages [3]pkgmerge.Package
	for side, value := range []string{"one", "two", "ours"} {
		var err error
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + value + "}\n"
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "a.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	merged, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(merged, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written returns a report in a format.
func written(t *testing.T, f report.Format, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.String()
}

// format returns the format with a name.
func format(name string) report.Format {
	return report.Formats()[slices.Index(reportfile.FormatNames(report.Formats()), name)]
}

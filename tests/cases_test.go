package tests

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// TestCases runs every case of testdata. A case is an archive, as package
// txtar reads it: origin.yaml, upstream.yaml and local.yaml, streams of
// documents, and config.yaml, the function config, where each file may be missing;
// or one input.yaml, a whole ResourceList. expected.yaml has the items that
// come out, results.yaml the results; `go test ./tests -update` rewrites both. The
// text above the first file says what the case is about. A file that an archive cannot
// hold byte for byte, such as one with "\r\n", and directories that a config names, stand
// beside the archive in a directory of its name.
//
// The documents of local.yaml get into the list byte for byte. Those of
// origin.yaml and upstream.yaml get a merge-source annotation, unless
// config.yaml has sources: then all need a path of their own.
func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			out, err := command.Function(inputOf(t, c))
			items, results := splitOutput(t, out)
			if failed := strings.Contains(results, "severity: error"); failed != (err != nil) {
				t.Errorf("error %v, but results:\n%s", err, results)
			}
			checkFile(t, c, "expected.yaml", items)
			checkFile(t, c, "results.yaml", results)
		})
	}
}

var update = flag.Bool("update", false, "rewrite the expectations of the cases in testdata")

// cases are the cases of testdata.
func cases(t *testing.T) []caselist.Case {
	t.Helper()
	all, err := caselist.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inputOf is the ResourceList of a case.
func inputOf(t *testing.T, c caselist.Case) []byte {
	t.Helper()
	in, err := c.Input()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// annotate puts a document on a side.
func annotate(t *testing.T, doc, side string) string {
	t.Helper()
	text, err := caselist.Annotate(doc, side)
	if err != nil {
		t.Fatalf("%s: %v", side, err)
	}
	return text
}

// isBracketed reports whether a list came out in brackets: JSON, or with items in
// flow style.
func isBracketed(out []byte) bool {
	return bytes.HasPrefix(out, []byte("{")) || bytes.Contains(out, []byte("\nitems: [")) && !bytes.Contains(out, []byte("\nitems: []"))
}

// resultsOf is the results of a list that comes out in brackets.
func resultsOf(t *testing.T, out []byte) string {
	t.Helper()
	var list struct{ Results yaml.Node }
	if err := yaml.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	var plain []any
	if err := list.Results.Decode(&plain); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(plain); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// splitOutput takes a list apart into a stream of its items, as they stand in it,
// and its results. For a list in brackets, such as JSON, items is the text of the
// whole list.
func splitOutput(t *testing.T, out []byte) (items, results string) {
	t.Helper()
	text := string(out)
	before, after, found := strings.Cut(text, "\nitems:\n")
	if !found {
		before, after, found = strings.Cut(text, "\nitems: []\n")
	}
	if isBracketed(out) {
		return text, resultsOf(t, out)
	}
	if !found || !strings.HasPrefix(before, "apiVersion: config.kubernetes.io/v1") {
		t.Fatalf("no ResourceList came out:\n%s", text)
	}
	var docs []string
	lines := strings.SplitAfter(after, "\n")
	i := 0
	for ; i < len(lines) && (strings.HasPrefix(lines[i], "- ") || strings.HasPrefix(lines[i], " ") || lines[i] == "\n"); i++ {
		if strings.HasPrefix(lines[i], "- ") {
			docs = append(docs, "")
		}
		line := strings.TrimPrefix(strings.TrimPrefix(lines[i], "- "), "  ")
		docs[len(docs)-1] += line
	}
	rest := strings.Join(lines[i:], "")
	if _, after, found := strings.Cut("\n"+rest, "\nresults:\n"); found {
		results = after
	}
	return strings.Join(docs, "---\n"), results
}

// checkFile compares a file of a case with what came out.
func checkFile(t *testing.T, c caselist.Case, name, got string) {
	t.Helper()
	if *update {
		if err := c.Write("testdata", name, []byte(got)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(c.Files[name]), got); diff != "" {
		t.Errorf("%s: %s (-want +got):\n%s", c.Name, name, diff)
	}
}

func readOptional(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

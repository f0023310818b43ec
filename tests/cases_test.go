package tests

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
)

// TestCases runs every directory of testdata that has an expected.yaml or a
// results.yaml. A case is origin.yaml, upstream.yaml and local.yaml, streams of
// documents, and config.yaml, the function config, where each file may be missing;
// or one input.yaml, a whole ResourceList. expected.yaml has the items that
// come out, results.yaml the results; `go test ./tests -update` rewrites both.
//
// The documents of local.yaml get into the list byte for byte. Those of
// origin.yaml and upstream.yaml get a merge-source annotation, unless
// config.yaml has sources: then all need a path of their own.
func TestCases(t *testing.T) {
	for _, dir := range caseDirs(t) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(dir), "testdata/"), func(t *testing.T) {
			out, err := command.Function(caseInput(t, dir))
			items, results := splitOutput(t, out)
			if failed := strings.Contains(results, "severity: error"); failed != (err != nil) {
				t.Errorf("error %v, but results:\n%s", err, results)
			}
			checkFile(t, filepath.Join(dir, "expected.yaml"), items)
			checkFile(t, filepath.Join(dir, "results.yaml"), results)
		})
	}
}

var update = flag.Bool("update", false, "rewrite the expectations of the cases in testdata")

func caseDirs(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "local.yaml" || d.Name() == "input.yaml" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) == 0 {
		t.Fatal("there is no case in testdata")
	}
	return dirs
}

// caseInput is the ResourceList of a case.
func caseInput(t *testing.T, dir string) []byte {
	t.Helper()
	if in := readOptional(t, filepath.Join(dir, "input.yaml")); in != nil {
		return in
	}
	config := readOptional(t, filepath.Join(dir, "config.yaml"))
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if config != nil {
		b.WriteString("functionConfig:\n" + indent(string(config), "  ", "  "))
	}
	b.WriteString("items:\n")
	for _, side := range []string{"local", "origin", "upstream"} {
		for _, doc := range documents(string(readOptional(t, filepath.Join(dir, side+".yaml")))) {
			if side != "local" && !bytes.Contains(config, []byte("sources:")) {
				doc = annotate(t, doc, side)
			}
			b.WriteString(indent(doc, "- ", "  "))
		}
	}
	return b.Bytes()
}

// documents splits a stream at its `---` lines.
func documents(stream string) []string {
	var docs []string
	for _, doc := range strings.Split("\n"+stream, "\n---\n") {
		if doc = strings.TrimLeft(doc, "\n"); strings.TrimSpace(doc) != "" {
			docs = append(docs, strings.TrimRight(doc, "\n")+"\n")
		}
	}
	return docs
}

// marked puts a document on a side in its text, so that its layout stays; "" if
// the text is not plain enough.
func marked(doc, side string) string {
	lines := strings.SplitAfter(doc, "\n")
	start := slices.IndexFunc(lines, func(l string) bool { return l == "metadata:\n" || strings.HasPrefix(l, "metadata: #") })
	if start < 0 || !strings.HasPrefix(lines[start+1], "  ") || lines[start+1][2] == ' ' {
		return ""
	}
	end, text := start+1, "  annotations:\n"
	for ; strings.HasPrefix(lines[end], "  "); end++ {
		switch {
		case lines[end] == "  annotations:\n":
			text = ""
		case strings.HasPrefix(lines[end], "  annotations") || text == "" && !strings.HasPrefix(lines[end], "    "):
			return ""
		}
	}
	return strings.Join(slices.Insert(lines, end, text+"    config.kubernetes.io/merge-source: "+side+"\n"), "")
}

// annotate puts a document on a side.
func annotate(t *testing.T, doc, side string) string {
	t.Helper()
	if text := marked(doc, side); text != "" {
		return text
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &n); err != nil {
		t.Fatalf("%s: %v", side, err)
	}
	metadata := mapField(n.Content[0], "metadata")
	mark := mapField(metadata, "annotations")
	mark.Content = append(mark.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Value: "config.kubernetes.io/merge-source"},
		&yaml.Node{Kind: yaml.ScalarNode, Value: side})
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// mapField is a field of a map that is made if it is missing.
func mapField(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	v := &yaml.Node{Kind: yaml.MappingNode}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, v)
	return v
}

func indent(text, first, rest string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = first + line
		case line != "":
			lines[i] = rest + line
		}
	}
	return strings.Join(lines, "\n") + "\n"
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

func checkFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(readOptional(t, path)), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
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

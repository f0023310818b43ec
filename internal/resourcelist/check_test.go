package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// checkSplit compares the two ways to read data.
func checkSplit(t rapid.TB, data []byte) {
	split, ok := readSplit(data)
	if !ok {
		return
	}
	whole, err := readWhole(data)
	if err != nil {
		t.Fatalf("split, but the full parser says: %v\n%s", err, data)
	}
	checkSkimmed(t, split.Items)
	checkSkimmed(t, whole.Items)
	if len(split.Items) != len(whole.Items) || split.column != whole.column {
		t.Fatalf("split to %d items, and %d whole\n%s", len(split.Items), len(whole.Items), data)
	}
	for i, item := range split.Items {
		if !manifest.IsSame(item.Node, whole.Items[i].Node) || item.Line != whole.Items[i].Line {
			t.Fatalf("item %d differs\n%s\n%s", i, data, cmp.Diff(item.Node, whole.Items[i].Node))
		}
	}
	for i := range split.shell.Content {
		if !compareValues(split.shell.Content[i], whole.shell.Content[i]) {
			t.Fatalf("the shell differs\n%s", data)
		}
	}
}

// checkSkimmed parses the skimmed items, and compares the names, annotations and nulls of their heads.
func checkSkimmed(t rapid.TB, items []*Item) {
	for _, item := range items {
		if item.skim == nil {
			continue
		}
		head, null := item.Head(), item.MayHaveNull()
		if err := item.parse(); err != nil {
			t.Fatalf("skimmed, but the parser says: %v\n%s", err, item.text)
		}
		if got, want := describe(head), describe(item.Node); got != want {
			t.Fatalf("skimmed as\n%s, parsed as\n%s\n%s", got, want, item.text)
		}
		if !null && hasNull(item.Node) {
			t.Fatalf("skimmed without a null\n%s", item.text)
		}
	}
}

// parseAll parses the items of a list.
func parseAll(t rapid.TB, list *List) {
	if err := Parse(list.Items); err != nil {
		t.Fatal(err)
	}
}

// describe returns the identifying fields of an item as text.
func describe(item *yaml.Node) string {
	var b strings.Builder
	for _, name := range []string{"apiVersion", "kind"} {
		fmt.Fprintf(&b, "%s %q\n", name, yamlnode.Text(yamlnode.Field(item, name)))
	}
	at := position(item, "metadata")
	if at < 0 {
		return b.String()
	}
	metadata := item.Content[at+1]
	fmt.Fprintf(&b, "comment %q\n", lineComment(item, at))
	for _, name := range []string{"name", "namespace", "generateName"} {
		fmt.Fprintf(&b, "%s %q\n", name, yamlnode.Text(yamlnode.Field(metadata, name)))
	}
	if annotations := yamlnode.Field(metadata, "annotations"); annotations != nil {
		for _, n := range annotations.Content {
			fmt.Fprintf(&b, "%q ", n.Value)
		}
	}
	return b.String()
}

func hasNull(n *yaml.Node) bool {
	return n.ShortTag() == "!!null" || slices.ContainsFunc(n.Content, hasNull)
}

// compareValues reports whether two nodes have the same values.
func compareValues(a, b *yaml.Node) bool {
	d := manifest.Compare(a, b)
	return d.SameValues()
}

// checkRewrite writes items and reads them again.
func checkRewrite(t rapid.TB, list *List, items []*Item) []byte {
	var b bytes.Buffer
	if err := list.Write(&b, items, nil); err != nil {
		t.Fatal(err)
	}
	again, err := Read(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if len(again.Items) != len(items) {
		t.Fatalf("got %d items, want %d\n%s", len(again.Items), len(items), b.Bytes())
	}
	if err = errors.Join(Parse(items), Parse(again.Items)); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	for i, item := range items {
		if !compareValues(item.Node, again.Items[i].Node) {
			t.Fatalf("item %d differs\n%s", i, b.Bytes())
		}
	}
	if !compareValues(list.shell, again.shell) {
		t.Fatalf("the shell differs\n%s", b.Bytes())
	}
	return b.Bytes()
}

// testdata returns the lists in testdata.
func testdata(t testing.TB) map[string][]byte {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	lists := map[string][]byte{}
	for _, file := range files {
		if lists[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return lists
}

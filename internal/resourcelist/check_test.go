package resourcelist

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
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
	if len(split.Items) != len(whole.Items) || split.column != whole.column {
		t.Fatalf("split to %d items, and %d whole\n%s", len(split.Items), len(whole.Items), data)
	}
	for i, item := range split.Items {
		if !isSame(item.Node, whole.Items[i].Node) || item.Line != whole.Items[i].Line {
			t.Fatalf("item %d differs\n%s\n%s", i, data, cmp.Diff(item.Node, whole.Items[i].Node))
		}
	}
	for i := range split.shell.Content {
		if !compareValues(split.shell.Content[i], whole.shell.Content[i]) {
			t.Fatalf("the shell differs\n%s", data)
		}
	}
}

// compareValues tells whether two nodes have the same values.
func compareValues(a, b *yaml.Node) bool {
	d := compare(a, b)
	return d.sameValues()
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

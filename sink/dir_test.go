package sink_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

func resource(t *testing.T, file string, index int, name, data string) *pkgmerge.Resource {
	t.Helper()
	var document yaml.Node
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata: {a: " + data + "}\n"
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return pkgmerge.NewResource(file, index, &document)
}

// merged merges a package with itself.
func merged(t *testing.T, resources ...*pkgmerge.Resource) *pkgmerge.Result {
	t.Helper()
	p := pkgmerge.Package{Resources: resources}
	result, err := pkgmerge.Merge(context.Background(), [3]pkgmerge.Package{p, p, p}, pkgmerge.Options{MergeComments: pkgmerge.CommentNever})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestDirWritesByFileAndIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	result := merged(t, resource(t, "b/c.yaml", 1, "second", "1"), resource(t, "a.yaml", 0, "alone", "1"), resource(t, "b/c.yaml", 0, "first", "1"))
	if err := sink.Dir(dir).Write(context.Background(), result); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "b/c.yaml"))
	want := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\ndata: {a: 1}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: second\ndata: {a: 1}\n"
	if err != nil || string(text) != want {
		t.Errorf("%v:\n%s\nwant:\n%s", err, text, want)
	}
	if err := sink.Dir(dir).Write(context.Background(), result); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a directory that is not empty: %v", err)
	}
}

func TestDirRefusesOtherPlaces(t *testing.T) {
	for _, file := range []string{"../a.yaml", "/a.yaml", "", "a/../../b.yaml"} {
		dir := filepath.Join(t.TempDir(), "new")
		err := sink.Dir(dir).Write(context.Background(), merged(t, resource(t, "ok.yaml", 0, "ok", "1"), resource(t, file, 0, "a", "1")))
		if err == nil || !strings.Contains(err.Error(), "not below the directory") {
			t.Errorf("%q: got %v", file, err)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%q: the directory was made: %v", file, err)
		}
	}
}

func TestDirRefusesAResultThatFails(t *testing.T) {
	var packages [3]pkgmerge.Package
	for side := range packages {
		packages[side].Resources = []*pkgmerge.Resource{resource(t, "a.yaml", 0, "a", string(rune('1'+side)))}
	}
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Policy: pkgmerge.Prefer(merge.PreferFail)})
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Dir(filepath.Join(t.TempDir(), "new")).Write(context.Background(), result); err == nil || !strings.Contains(err.Error(), "ConfigMap a in a.yaml") {
		t.Errorf("got %v, want an error about ConfigMap a", err)
	}
}

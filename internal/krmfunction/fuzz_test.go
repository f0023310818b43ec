package krmfunction

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// Whatever comes in, a list comes out that can be read, and an error has a
// result that says so.
func FuzzRun(f *testing.F) {
	for _, list := range caseFiles(f, "input.yaml") {
		f.Add(list)
	}
	head := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for _, seed := range []string{
		"", "{", head, head + "items: {}\n",
		head + "items:\n- {kind: A, metadata: {name: a, annotations: {config.kubernetes.io/merge-source: origin}}}\n- {kind: A, metadata: {name: a, annotations: {config.kubernetes.io/merge-source: upstream}}, b: [c]}\n- {kind: A, metadata: {name: a}, b: null}\n",
		head + "functionConfig: {kind: ConfigMap, data: {origin-none: 'true', conflicts: local}}\nitems:\n- kind: A\n  metadata: # kpt-merge: a/b\n    name: &x a\n    annotations: {config.kubernetes.io/merge-source: upstream}\n- {kind: A, metadata: {name: a}, b: *x}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := Run(in, nil)
		list, readErr := resourcelist.Read(out)
		if readErr != nil {
			t.Fatalf("error %v; what came out cannot be read: %v\n%s", err, readErr, out)
		}
		if err != nil && !strings.Contains(string(out), "error") {
			t.Errorf("error %v is not among the results\n%s", err, out)
		}
		if before, readErr := resourcelist.Read(in); err != nil && readErr == nil && len(list.Items) != len(before.Items) {
			t.Errorf("error %v; got %d items, want all %d\n%s", err, len(list.Items), len(before.Items), out)
		}
	})
}

// FuzzConfig reads function configs. What is read has passed its own check, the
// same text always gives the same, and what is refused is refused by name.
func FuzzConfig(f *testing.F) {
	for _, config := range caseFiles(f, "config.yaml") {
		f.Add(string(config))
	}
	for _, seed := range []string{
		"", "a", "[]", "{}", "kind: ConfigMap", "kind: ConfigMap\ndata: [a]", "kind: ConfigMap\ndata: {conflicts: [a], keep-sources: 1}",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nmetadata: {a: &a [x, x], b: &b [*a, *a], c: [*b, *b]}\n",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nmetadata: &a {b: *a}\n",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {rules: &a [*a]}\n",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nkind: ConfigMap\nsources: {<<: {keep: true}}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var doc yaml.Node
		if len(text) > 10_000 || yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
			return
		}
		config, err := ReadConfig(doc.Content[0])
		again, errAgain := ReadConfig(doc.Content[0])
		if diff := cmp.Diff(config.Config, again.Config, cmpopts.EquateNaNs()); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("error %v and then %v, read twice (-first +second)\n%s", err, errAgain, diff)
		}
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "functionConfig: "):
			t.Errorf("the error does not say where: %v", err)
		case err == nil && again.parse(inTypedKind) != nil:
			t.Errorf("read, and then it cannot be read again: %s", text)
		}
	})
}

// caseFiles is the texts of the files of a name in testdata, without those that
// are large: a fuzzer gets no further with them.
func caseFiles(f *testing.F, name string) (texts [][]byte) {
	f.Helper()
	paths := []string{}
	for _, depth := range []string{"*", "*/*"} {
		found, err := filepath.Glob("../../testdata/" + depth + "/" + name)
		if err != nil {
			f.Fatal(err)
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 20_000 {
			texts = append(texts, text)
		}
	}
	if len(texts) < 10 {
		f.Fatalf("found %d files %s in testdata, are there so few?", len(texts), name)
	}
	return texts
}

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// FuzzConfig reads function configs. What is read has passed its own check, the
// same text always gives the same, and what is refused is refused by name.
func FuzzConfig(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/*/*/config.yaml")
	if err != nil || len(files) < 10 {
		f.Fatalf("%d files config.yaml in testdata, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
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
		settings, err := Read(doc.Content[0])
		again, errAgain := Read(doc.Content[0])
		if diff := cmp.Diff(settings.Config, again.Config, cmpopts.EquateNaNs()); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("error %v and then %v, read twice (-first +second)\n%s", err, errAgain, diff)
		}
		switch {
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("the error has more than one line: %v", err)
		case err == nil && again.parse(inTypedKind) != nil:
			t.Errorf("read, and then it cannot be read again: %s", text)
		}
	})
}

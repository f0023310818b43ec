package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/tests/caselist"
)

// FuzzConfig reads function configs. What is read has passed its own check, the
// same text always gives the same, and what is refused is refused by name.
func FuzzConfig(f *testing.F) {
	cases, err := caselist.Read("../../../testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		if config := c.Files["config.yaml"]; config != nil {
			f.Add(string(config))
		}
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

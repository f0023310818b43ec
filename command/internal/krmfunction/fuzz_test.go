package krmfunction

import (
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/tests/caselist"
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

// caseFiles returns the texts of the files of a name in testdata, without the
// large ones: a fuzzer gets no further with them.
func caseFiles(f *testing.F, name string) (texts [][]byte) {
	f.Helper()
	cases, err := caselist.Read("../../../testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		if text := c.Files[name]; text != nil && len(text) < 20_000 {
			texts = append(texts, text)
		}
	}
	if len(texts) < 10 {
		f.Fatalf("found %d files %s in testdata, are there so few?", len(texts), name)
	}
	return texts
}

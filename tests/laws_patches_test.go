package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/applier"
	"github.com/resource-merge/resource-merge/tests/caselist"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestLawPatches is the law of the output patches (rules/patches: the output patches):
// apimachinery and a library of the RFCs apply them to their side's resources, and the
// result is the output merged. It is checked on every case of testdata and assignments of
// its versions to the sides, with a form and a side that change from case to case.
func TestLawPatches(t *testing.T) {
	by, err := applier.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer by.Close()
	tally := map[string]int{}
	for i, c := range cases(t) {
		if strings.HasPrefix(c.Name, "bad-input/") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for j, a := range assignments(c) {
				if !isChecked(i, j) || a.input || !takesOutput(a.config) || hasText("config.kubernetes.io/merge-source")(c.Name, a) {
					continue // a document with the mark of a side looks like one of the function's input
				}
				form := []string{"auto", "strategic", "merge", "json"}[(i/3+j/9)%4]
				tally[a.checkPatches(t, by, form, []string{"local", "upstream"}[i/4%2])]++
			}
		})
	}
	t.Log(tally)
	if min(tally["auto"], tally["strategic"], tally["merge"], tally["json"]) < 70/seed.Step(9) { // of one assignment of every sixth case
		t.Error("too few patches were applied")
	}
}

// takesOutput reports whether a case's config may have another output, and its documents are
// on the sides of their files.
func takesOutput(config string) bool {
	for _, text := range []string{"output:", "kind: ConfigMap", "mergeComment: true", "sources:"} {
		if strings.Contains(config, text) {
			return false
		}
	}
	return true
}

// checkPatches checks the law on an assignment, and returns the outcome.
func (a assignment) checkPatches(t *testing.T, by *applier.Applier, form, from string) string {
	t.Helper()
	if strings.Contains(a.config, "apply") {
		from = "local" // from upstream is from the config as it is applied
	}
	merged, _, ok := a.merge(t)
	if !ok {
		return "no merge"
	}
	if a.config == "" {
		a.config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\n"
	}
	a.config += fmt.Sprintf("output: patches\npatches: {form: %s, from: %s}\n", form, from)
	out, err := command.Function(a.list(t))
	if err != nil {
		if strings.Contains(err.Error(), "cannot express it") && form != "json" {
			return "not sayable"
		}
		t.Errorf("%s, %s from %s: %v", a.name, form, from, err)
		return "fails"
	}
	base := a.docs[2]
	if from == "upstream" {
		base = a.docs[1]
	}
	p := patching{applier: by, form: form, resources: map[string][]byte{}}
	text, _ := splitOutput(t, out)
	got, want := p.applied(t, base, caselist.Documents(text)), p.addressed(t, merged)
	switch {
	case p.left != "":
		return p.left
	case p.several:
		return "several of one name"
	}
	if text := unequal(t, got, want); text != "" {
		t.Errorf("%s, %s from %s: %s\n--- base\n%s--- patches\n%s", a.name, form, from, text, stream(base), out)
	}
	return form
}

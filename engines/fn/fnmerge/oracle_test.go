package fnmerge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/resource-merge/resource-merge/command/function"
	"github.com/resource-merge/resource-merge/engines/fn/fnmerge"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// nothing is a function that changes nothing: what comes out is the input as the SDK writes it.
var nothing = fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) { return true, nil })

// differences lists the cases that come out otherwise, by the reasons that README.md of the module has.
func differences() map[string][]string {
	return map[string][]string{
		"yaml.v3 gives a comment to another field, or loses it, before the merge": {
			"comments/above-the-last-field", "comments/at-the-end-of-an-emptied-map", "comments/block-of-a-field-that-upstream-added",
			"comments/blocks-that-change-and-go", "comments/changed-lines-keep-their-column", "comments/commented-out-upstream", "comments/left-by-deleted-fields", "comments/local-ones-in-the-block-of-a-deleted-field", "comments/at-the-end-of-a-list-in-brackets-elsewhere",
			"comments/local-ones-on-deleted-fields", "comments/uncommented-below-an-empty-field", "comments/uncommented-where-upstream-changed-the-field",
			"known/comment-left-above-a-deleted-field",
		},
		"yaml.v3 does not read which style or quotes a text has": {
			"comments/brackets-get-a-comment", "comments/kyaml-from-lines", "comments/kyaml-stays-kyaml", "patches/a-list-in-brackets",
			"real/block-scalars",
		},
		"the SDK reads input that is no good ResourceList in its own way": {
			"bad-input/bare-documents", "bad-input/empty-stdin", "bad-input/flow-list-with-an-item-that-is-no-map", "bad-input/item-is-no-map",
			"bad-input/item-is-no-map-between-two", "bad-input/items-is-a-map", "bad-input/list-of-unknown-version",
			"bad-input/not-a-resource-list", "bad-input/not-yaml", "bad-input/results-is-a-map",
		},
	}
}

// A list comes out of the SDK as from the program, item for item and byte for byte, once the SDK has written the program's,
// too.
func TestProcessorOnCases(t *testing.T) {
	equal := 0
	t.Chdir("../../..")
	all, err := caselist.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			in, err := c.Input()
			if err != nil {
				t.Fatal(err)
			}
			program, wanted := function.Run(in)
			want, err := fn.Run(nothing, program)
			if err != nil {
				t.Fatal(err)
			}
			got, failed := fn.Run(fnmerge.Processor{}, in)
			diff := cmp.Diff(parts(t, want), parts(t, got))
			if (wanted == nil) != (failed == nil) {
				diff += "the program's error is not the processor's"
			}
			switch known := isKnown(c.Name); {
			case known != (diff != ""):
				t.Errorf("is listed as different: %t, and differs so:\n%s", known, diff)
			case !known:
				equal++
			}
		})
	}
	t.Logf("%d x equal to the program", equal)
}

// isKnown reports whether a case is listed as different.
func isKnown(name string) bool {
	for _, names := range differences() {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// parts are the items and results of a list, without the numbers of lines in messages: those count in the list that the
// function gets from the SDK.
func parts(t *testing.T, text []byte) (all []string) {
	t.Helper()
	list, err := fn.ParseResourceList(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		all = append(all, item.String())
	}
	slices.Sort(all) // the SDK's sorting is not stable
	for _, r := range list.Results {
		all = append(all, regexp.MustCompile(`\bline \d+`).ReplaceAllString(r.String(), "line N"))
	}
	return all
}

// as runs the main of a function with the SDK, as the process that kpt starts.
func as(t *testing.T, args []string, stdin string) (stdout string, err error) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, []byte(stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	wasArgs, wasIn, wasOut := os.Args, os.Stdin, os.Stdout
	defer func() { os.Args, os.Stdin, os.Stdout = wasArgs, wasIn, wasOut }()
	os.Args, os.Stdin, os.Stdout = append([]string{"merge"}, args...), from, to
	err = fn.AsMain(fnmerge.Processor{}, fnmerge.Docs())
	text, readErr := os.ReadFile(out)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(text), err
}

// A function of the SDK's says in its results what is wrong, leaves the items as they are, and fails.
func TestWrongConfig(t *testing.T) {
	const list = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ResourceMerge
  conflicts:
    prefr: local
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
results:
- message: from a step before
  severity: info
`
	out, err := as(t, nil, list)
	const message = `functionConfig: conflicts.prefr: there is no key "prefr", allowed are prefer, rules; did you mean prefer?`
	if err == nil || err.Error() != message {
		t.Errorf("error %v", err)
	}
	got := parts(t, []byte(out))
	want := []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n",
		"[info]: from a step before",
		"[error]: " + message,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// kpt fn doc asks with --doc.
func TestDocs(t *testing.T) {
	out, err := as(t, []string{"--doc"}, "")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Short, Long, Examples, Description, License string }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"short": doc.Short, "long": doc.Long, "examples": doc.Examples, "description": doc.Description, "license": doc.License} {
		if text == "" {
			t.Errorf("no %s in %s", name, out)
		}
	}
}

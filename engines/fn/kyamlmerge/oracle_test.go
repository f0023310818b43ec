package kyamlmerge_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/command/function"
	"github.com/resource-merge/resource-merge/engines/fn/kyamlmerge"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// cases calls a function with the ResourceList of each case in testdata, at the root of the repository.
func cases(t *testing.T, each func(t *testing.T, name string, list []byte)) {
	t.Helper()
	t.Chdir("../../..")
	all, err := caselist.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			list, err := c.Input()
			if err != nil {
				t.Fatal(err)
			}
			each(t, c.Name, list)
		})
	}
}

// The command's output is the program's, byte for byte, and an error is said once.
func TestCommandOnCases(t *testing.T) {
	cases(t, func(t *testing.T, _ string, list []byte) {
		want, failed := function.Run(list)
		var out, said bytes.Buffer
		cmd := kyamlmerge.Command()
		cmd.SetArgs(nil)
		cmd.SetIn(bytes.NewReader(list))
		cmd.SetOut(&out)
		cmd.SetErr(&said)
		err := cmd.Execute()
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Error(diff)
		}
		message := ""
		if failed != nil {
			message = "Error: " + failed.Error() + "\n"
		}
		if (err == nil) != (failed == nil) || said.String() != message {
			t.Errorf("error %v, said %q, want %q", err, said.String(), message)
		}
	})
}

// The reasons why a list comes out of the framework otherwise than from the program. README.md has them.
const (
	comments = "yaml.v3 gives a comment to another field, or loses it, before the merge"
	style    = "yaml.v3 does not read which style or quotes a text has"
	paths    = "the framework adds and removes the annotations of paths by those of the input"
	results  = "the framework does not hand on the results of earlier steps"
	input    = "the framework reads input that is no good ResourceList in its own way"
)

// differences lists the cases that come out otherwise, by reason.
func differences() map[string][]string {
	return map[string][]string{
		comments: {
			"comments/above-the-last-field", "comments/at-the-end-of-an-emptied-map", "comments/block-of-a-field-that-upstream-added",
			"comments/blocks-that-change-and-go", "comments/changed-lines-keep-their-column", "comments/commented-out-upstream", "comments/left-by-deleted-fields", "comments/local-ones-in-the-block-of-a-deleted-field", "comments/at-the-end-of-a-list-in-brackets-elsewhere",
			"comments/local-ones-on-deleted-fields", "comments/uncommented-below-an-empty-field", "comments/uncommented-where-upstream-changed-the-field",
			"known/comment-left-above-a-deleted-field",
		},
		style: {
			"comments/brackets-get-a-comment", "comments/json-document", "comments/kyaml-from-lines", "comments/kyaml-stays-kyaml",
			"patches/a-list-in-brackets", "real/block-scalars",
		},
		paths: {
			"files/legacy-annotations-moved", "files/legacy-annotations-only", "output/bookkeeping-is-no-content",
			"output/ids-dropped-where-a-comment-would-wander", "output/ids-dropped-where-kinds-differ", "output/ids-dropped-with-a-comment",
			"output/moved-upstream-into-a-file-of-locals", "overlay/a-base-elsewhere", "overlay/in-a-configmap",
			"overlay/values-of-secrets-are-hidden", "patches/a-null-that-must-stay-in-json", "patches/all-annotations-go",
			"patches/another-name-is-another-resource", "patches/comments-and-aliases", "patches/in-a-configmap", "patches/one-annotation-goes",
			"patches/one-name-in-two-namespaces", "patches/server-side-apply-created", "patches/swapped-names", "strategies/copy-merge-keeps-bookkeeping",
		},
		results: {
			"output/json-list-in-one-line", "output/json-list-in-one-line-with-spaces", "output/json-list-indented-by-four",
			"output/json-list-indented-by-tabs", "output/json-list-indented-by-two", "results/after-those-of-the-input",
		},
		input: {
			"bad-input/bare-documents", "bad-input/empty-stdin", "bad-input/flow-list-with-an-item-that-is-no-map", "bad-input/item-is-no-map",
			"bad-input/item-is-no-map-between-two", "bad-input/items-is-a-map", "bad-input/list-of-unknown-version",
			"bad-input/not-a-resource-list", "bad-input/not-yaml", "bad-input/results-is-a-map",
		},
	}
}

// reason returns the reason of a case that is listed as different, else "".
func reason(name string) string {
	for reason, names := range differences() {
		if slices.Contains(names, name) {
			return reason
		}
	}
	return ""
}

// A list comes out of the framework as from the program, item for item and byte for byte, once the framework has written
// the program's, too.
func TestProcessorOnCases(t *testing.T) {
	nothing := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	equal := 0
	cases(t, func(t *testing.T, name string, list []byte) {
		program, wanted := function.Run(list)
		want, _ := execute(nothing, program)
		got, failed := execute(kyamlmerge.Processor{}, list)
		diff := cmp.Diff(parts(t, want), parts(t, got))
		if (wanted == nil) != (failed == nil) {
			diff += "the program's error is not the processor's"
		}
		switch why := reason(name); {
		case (why != "") != (diff != ""):
			t.Errorf("is listed for %q, and differs so:\n%s", why, diff)
		case why == "":
			equal++
		case why == style && !sameValues(t, program, got):
			t.Errorf("the values differ, too:\n%s", diff)
		}
	})
	t.Logf("%d x equal to the program", equal)
}

// execute runs a processor as a function's main does.
func execute(p framework.ResourceListProcessor, list []byte) ([]byte, error) {
	var out bytes.Buffer
	err := framework.Execute(p, &kio.ByteReadWriter{Reader: bytes.NewReader(list), Writer: &out, KeepReaderAnnotations: true})
	return out.Bytes(), err
}

// parts are the items and results of a list, without the numbers of lines in messages: those count in the list that the
// function gets from the framework.
func parts(t *testing.T, list []byte) (all []string) {
	t.Helper()
	items, found := split(t, list)
	for _, n := range items {
		all = append(all, n.MustString())
	}
	for _, r := range found {
		all = append(all, regexp.MustCompile(`\bline \d+`).ReplaceAllString(r.String(), "line N"))
	}
	return all
}

// split reads a list.
func split(t *testing.T, list []byte) (items []*yaml.RNode, found framework.Results) {
	t.Helper()
	reader := kio.ByteReader{Reader: bytes.NewReader(list), OmitReaderAnnotations: true}
	items, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	if reader.Results != nil {
		if err := reader.Results.YNode().Decode(&found); err != nil {
			t.Fatal(err)
		}
	}
	return items, found
}

// sameValues reports whether the items of two lists have the same values, apart from those of annotations.
func sameValues(t *testing.T, a, b []byte) bool {
	t.Helper()
	var values [2][]any
	for i, list := range [][]byte{a, b} {
		items, _ := split(t, list)
		for _, n := range items {
			if err := n.SetAnnotations(nil); err != nil {
				t.Fatal(err)
			}
			var v any
			if err := n.YNode().Decode(&v); err != nil {
				t.Fatal(err)
			}
			values[i] = append(values[i], v)
		}
	}
	return cmp.Equal(values[0], values[1])
}

package function_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/function"
)

// parse returns the nodes of a stream's documents.
func parse(t *testing.T, texts ...string) (all []*yaml.Node) {
	t.Helper()
	for _, text := range texts {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		all = append(all, document.Content[0])
	}
	return all
}

// A folded value with indented lines, which yaml.v3 would write with more empty lines, comes out as it was.
func TestMergeKeepsFoldedValues(t *testing.T) {
	version := func(side, color string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {config.kubernetes.io/merge-source: " + side + "}\n" +
			"data:\n  text: >\n    one\n\n    two\n\n      - three\n\n    four\n  color: " + color + "\n"
	}
	merged, results, err := function.Merge(parse(t, version("origin", "red"), version("upstream", "red"), version("local", "blue")), nil)
	if err != nil || len(merged) != 1 || results == nil || len(results.Content) != 1 {
		t.Fatalf("error %v, %d items", err, len(merged))
	}
	var got struct{ Data map[string]string }
	if err := merged[0].Decode(&got); err != nil {
		t.Fatal(err)
	}
	if want := "one\ntwo\n\n  - three\n\nfour\n"; got.Data["text"] != want || got.Data["color"] != "blue" {
		t.Errorf("got %q", got.Data)
	}
}

// Nothing is merged with an error, and the results have it if the items are mappings.
func TestMergeFails(t *testing.T) {
	good := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
	for name, test := range map[string]struct {
		items          []*yaml.Node
		config         *yaml.Node
		want, reported string
	}{
		"no upstream":        {parse(t, good), nil, "no upstream items", "no upstream items"},
		"a wrong config":     {parse(t, good), parse(t, "{kind: Mrege}")[0], `functionConfig: kind "Mrege" is not known`, `kind "Mrege" is not known`},
		"an item is a value": {parse(t, good, "text"), nil, "the items cannot be written as a ResourceList: item 2 is not a mapping", ""},
	} {
		merged, results, err := function.Merge(test.items, test.config)
		if merged != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %d items and the error %v", name, len(merged), err)
		}
		if test.reported == "" {
			continue
		}
		var messages []struct{ Message, Severity string }
		if results == nil || results.Decode(&messages) != nil || messages[0].Severity != "error" || !strings.Contains(messages[0].Message, test.reported) {
			t.Errorf("%s: got the results %v", name, messages)
		}
	}
}

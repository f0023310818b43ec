package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestResultKind: the schema is the one of the result's apiVersion: upstream's if upstream changed it or local has
// none, else local's.
func TestResultKind(t *testing.T) {
	for _, tt := range []struct{ name, origin, upstream, local, want string }{
		{"nobody changed it", "a/v1", "a/v1", "a/v1", "a/v1"},
		{"upstream did", "a/v1", "a/v2", "a/v1", "a/v2"},
		{"local did", "a/v1", "a/v1", "a/v2", "a/v2"},
		{"both did", "a/v1", "a/v2", "a/v3", "a/v2"},
		{"only upstream has it", "", "a/v1", "", "a/v1"},
		{"only local has it", "", "", "a/v1", "a/v1"},
		{"upstream deleted it", "a/v1", "", "a/v2", "a/v2"},
		{"local deleted it", "a/v1", "a/v1", "", "a/v1"},
	} {
		var versions [3]*yaml.Node
		for side, apiVersion := range []string{tt.origin, tt.upstream, tt.local} {
			if apiVersion != "" {
				versions[side] = parse(t, "apiVersion: "+apiVersion+"\nkind: A")
			}
		}
		if apiVersion, kind := ResultKind(versions); apiVersion != tt.want || kind != "A" {
			t.Errorf("%s: %s %s, want %s", tt.name, apiVersion, kind, tt.want)
		}
	}
}

// TestUnmergeablePassesThrough: a resource that upstream did not change passes through, even if it cannot be merged.
func TestUnmergeablePassesThrough(t *testing.T) {
	for name, text := range map[string]string{
		"a key twice":    "kind: A # c\nspec: {a: b}\nspec: {a: c}",
		"an alias cycle": "kind: A\nspec: &x\n  a: *x",
		"a tag":          "kind: A\nspec: !t {a: b, a: c}",
	} {
		o, u, l := parse(t, text), parse(t, text), parse(t, text+"\nown: field")
		out, err := Resource([3]*yaml.Node{o, u, l}, schema.Resource{}, Prefer(PreferUpstream))
		if err != nil || out.Node != l || len(out.Conflicts) != 0 {
			t.Errorf("%s: %v %v", name, out, err)
		}
	}
}

// TestIdentical: a difference in any written part makes two nodes not identical.
func TestIdentical(t *testing.T) {
	const text = "a: &x b\nc: [d] # e\n"
	n := parse(t, text)
	if !identical(n, parse(t, text)) || !identical(nil, nil) || identical(n, nil) || identical(nil, n) {
		t.Error("what is the same is not identical, or nothing is")
	}
	for _, other := range []string{
		"a: &x f\nc: [d] # e\n", "a: &y b\nc: [d] # e\n", "a: !t &x b\nc: [d] # e\n", "a: &x b\nc: [d] # f\n",
		"a: &x b\nc: [d, d] # e\n", "a: &x b\nc: {d: d} # e\n", "a: &x b\nc: d # e\n", "a: &x b\n",
	} {
		if identical(n, parse(t, other)) {
			t.Errorf("identical to %q", other)
		}
	}
}

// TestOnlyRenamed checks rules/resources: additions and deletions for a deletion by upstream: a new name and
// namespace are no customisation.
func TestOnlyRenamed(t *testing.T) {
	const origin = "kind: A\nmetadata:\n  name: a\n  labels: {b: c}\n  annotations: {d: e}\nspec: f\n"
	for local, want := range map[string]bool{
		origin: true,
		"kind: A\nmetadata:\n  namespace: n\n  name: p-a\n  labels: {b: c}\n  annotations: {d: e}\nspec: f\n":         true,
		"kind: A\nmetadata:\n  name: p-a\n  labels: {b: c, g: h}\n  annotations: {d: e}\nspec: f\n":                   false,
		"kind: A\nmetadata:\n  name: p-a\n  labels: {b: c}\n  annotations: {d: h}\nspec: f\n":                         false,
		"kind: A\nmetadata:\n  name: p-a\n  labels: {b: c}\n  annotations: {d: e}\n  generateName: g\nspec: f\n":      false,
		"kind: A\nmetadata:\n  name: p-a\n  labels: {b: c}\n  annotations: {d: e}\nspec: h\n":                         false,
		"kind: A\nmetadata:\n  name: p-a\n  labels: {b: c}\n  annotations: {d: e}\nspec: {metadata: {name: other}}\n": false,
	} {
		if got := SameButNamed(parse(t, origin), parse(t, local)); got != want {
			t.Errorf("%v for\n%s", got, local)
		}
	}
}

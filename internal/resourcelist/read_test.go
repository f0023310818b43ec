package resourcelist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"empty", "", "the input is empty: expected a ResourceList"},
		{"only comments", "# nothing\n\n", "the input is empty: expected a ResourceList"},
		{"only markers", "---\n---\n", "the input is empty: expected a ResourceList"},
		{"not YAML", head + "items:\n- a: b\n  c: [\n", "the input is not YAML: line 5: did not find expected node content"},
		{"a tab", head + "items:\n- a: b\n\tc: d\n", "the input is not YAML: line 4: it has a tab where YAML allows only spaces"},
		{"NUL", head + "x: \x00\n", "the input is not YAML: control characters are not allowed"},
		{"text", "hello\n", "line 1: the input is a scalar, not a ResourceList"},
		{"a list", "- a\n", "line 1: the input is a list, not a ResourceList"},
		{"bare document", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n", "the input is a Deployment web (apps/v1), not a ResourceList"},
		{"no kind", "items: []\n", "the input is a mapping without a kind, not a ResourceList"},
		{"bare documents", "kind: A\n---\nkind: B\n", "line 3: a second YAML document: expected one ResourceList"},
		{"two lists", head + "items: []\n---\n" + head, "line 5: a second YAML document: expected one ResourceList"},
		{"other version", "apiVersion: v2\nkind: ResourceList\n", `a ResourceList of apiVersion "v2" is not known: expected config.kubernetes.io/v1`},
		{"no version", "kind: ResourceList\n", `a ResourceList of apiVersion "" is not known: expected config.kubernetes.io/v1`},
		{"items a mapping", head + "items:\n  a: b\n", "line 4: items is a mapping, not a list"},
		{"items a scalar", head + "items: all\n", "line 3: items is a scalar, not a list"},
		{"item a scalar", head + "items:\n- a: b\n- c\n", "line 5: item 2 is a scalar, not a mapping"},
		{"item a list", head + "items:\n- - a\n", "line 4: item 1 is a list, not a mapping"},
		{"item null", head + "items:\n- a: b\n-\n", "line 5: item 2 is null, not a mapping"},
		{"JSON item", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[1]}`, "line 1: item 1 is a scalar, not a mapping"},
		{"items twice", head + "items:\n- a: b\nitems: []\n", `line 5: the ResourceList has the key "items" twice`},
		{"kind twice", head + "items:\n- a: b\nkind: x\n", `line 5: the ResourceList has the key "kind" twice`},
		{"results a mapping", head + "items:\n- a: b\nresults: {a: b}\n", "line 5: results is a mapping, not a list"},
		{"unknown anchor", head + "items:\n- a: *x\n", "the input is not YAML: unknown anchor referenced: a value that begins with * needs quotes"},
		{"alias cycle across items", head + "items:\n- &a {x: *a}\n- *a\n", "line 5: item 2: an alias to another item is nested deeper than 1000"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read([]byte(test.input))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadAccepts(t *testing.T) {
	tests := []struct {
		name, input string
		items       int
	}{
		{"v1beta1", "apiVersion: config.kubernetes.io/v1beta1\nkind: ResourceList\nitems:\n- a: b\n", 1},
		{"v1alpha1", "apiVersion: config.kubernetes.io/v1alpha1\nkind: ResourceList\nitems:\n- a: b\n", 1},
		{"no items", head, 0},
		{"null items", head + "items:\n", 0},
		{"empty items", head + "items: []\n", 0},
		{"leading marker", "---\n" + head + "items:\n- a: b\n", 1},
		{"trailing marker", head + "items:\n- a: b\n---\n", 1},
		{"end marker", head + "items:\n- a: b\n...\n", 1},
		{"directive", "%YAML 1.1\n---\n" + head + "items:\n- a: b\n", 1},
		{"byte order mark", "\uFEFF" + head + "items:\n- a: b\n", 1},
		{"CRLF", strings.ReplaceAll(head+"items:\n- a: b\n- a: b\n", "\n", "\r\n"), 2},
		{"CR", strings.ReplaceAll(head+"items:\n- a: b\n- a: b\n", "\n", "\r"), 2},
		{"JSON", `{"kind":"ResourceList","items":[{"a":"b"},{"a":"b"}],"apiVersion":"config.kubernetes.io/v1"}`, 2},
		{"wide dashes", head + "items:\n  - a: b\n  - a: b\n", 2},
		{"no last line break", head + "items:\n- a: b\n- a: b", 2},
		{"duplicate keys", head + "items:\n- a: b\n  a: c\n", 1},
		{"anchors", head + "items:\n- a: &x {b: c}\n  d: *x\n  e: {<<: *x}\n", 1},
		{"alias cycle", head + "items:\n- a: &x {b: *x}\n", 1},
		{"alias cycle at the top", head + "items:\n- &x\n  a: *x\n", 1},
		{"comments between", head + "items:\n# a\n- a: b\n# b\n- a: b\n# c\n", 2},
		{"explicit key", head + "? items\n: - a: b\n  - a: b\n?\n  x\n: y\n", 2},
		{"deep", head + "items:\n- a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Read([]byte(test.input))
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Items) != test.items {
				t.Errorf("got %d items, want %d", len(list.Items), test.items)
			}
			checkRewrite(t, list, list.Items)
		})
	}
}

func TestReadUTF16(t *testing.T) {
	data := []byte{0xFE, 0xFF}
	for _, b := range []byte(head + "items:\r\n- a: b\r\n") {
		data = append(data, 0, b)
	}
	list, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	checkRewrite(t, list, list.Items)
}

func TestItemLines(t *testing.T) {
	for _, marker := range []string{"", "# a comment\n", "---\n"} {
		list, err := Read([]byte(marker + head + "items:\n- a: b\n- # head\n  a: |\n    x\n\n- a: b\n"))
		if err != nil {
			t.Fatal(err)
		}
		offset := strings.Count(marker, "\n")
		for i, want := range []int{4, 6, 9} {
			if got := list.Items[i].Line; got != want+offset {
				t.Errorf("%q: item %d is in line %d, want %d", marker, i, got, want+offset)
			}
		}
	}
}

func TestFunctionConfig(t *testing.T) {
	for input, want := range map[string]string{
		"functionConfig: {kind: A}\n":                             "A",
		"x: &x {kind: B}\nfunctionConfig: *x\n":                   "B",
		"items:\n- &x {kind: C}\nfunctionConfig: *x\n":            "C",
		"items:\n- a: b\nfunctionConfig:\n  kind: D\nother: {}\n": "D",
		"functionConfig:\n":                                       "",
		"":                                                        "",
	} {
		list, err := Read([]byte(head + input))
		if err != nil {
			t.Fatal(err)
		}
		config := list.FunctionConfig()
		if want == "" != (config == nil) {
			t.Fatalf("%q: got %v", input, config)
		}
		if config != nil && yamlnode.Text(yamlnode.Field(config, "kind")) != want {
			t.Errorf("%q: got %q, want %q", input, yamlnode.Text(yamlnode.Field(config, "kind")), want)
		}
	}
}

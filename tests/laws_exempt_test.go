package tests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// exception is a class of assignments that the laws do not hold for.
type exception struct {
	name   string
	covers func(name string, a assignment) bool
}

// lawExceptions are the exceptions of docs/testing.md, and the cases whose versions cannot
// be put on other sides.
func lawExceptions() []exception {
	in := func(directory string) func(string, assignment) bool {
		return func(name string, _ assignment) bool { return strings.HasPrefix(name, directory+"/") }
	}
	config := func(texts ...string) func(string, assignment) bool {
		return func(_ string, a assignment) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(a.config, text) })
		}
	}
	return []exception{
		{"bad input: is not merged (8)", in("bad-input")},
		{"accepted gaps", in("known")},
		{"copies and resources with other names on all sides: the checkers know one name (rules/identity: renamed copies)", func(name string, _ assignment) bool {
			return strings.Contains(name, "renamed-copies-renamed-upstream")
		}},
		{"an element that upstream uncommented, above one that it removed and local kept: the comment goes when it is merged again (rules/laws: exceptions)",
			func(name string, _ assignment) bool {
				return name == "comments/commented-out-elements-of-upstream" || name == "comments/commented-out-elements-without-keys"
			}},
		{"the block of a field that goes: the checkers' parser gives it to the field below", func(name string, _ assignment) bool {
			return name == "comments/local-ones-in-the-block-of-a-deleted-field"
		}},
		{"a whole list as input: its versions are in no files of their own", func(_ string, a assignment) bool { return a.input }},
		{"Kptfiles: local keeps fields of its own, packages come and go as one (7)", hasText("kind: Kptfile")},
		{"inventories: are local's own (rules/resources: inventory templates)", hasText("cli-utils.sigs.k8s.io/inventory-id")},
		{"sides by the config: the documents' paths say on which side they are (rules/function: missing sides)", config("sources:", "-path:", "-dir:", "origin-none")},
		{"renames by the config: origin's names are not upstream's (2)", config("renames:")},
		{"other strategies: are not the merge (6)", config("strategy:")},
		{"other outputs: are not the merged package (16)", config("output:")},
		{"new nulls: are deletions (3)", func(_ string, a assignment) bool { return newNull(a) }},
		{"a line comment of upstream's on metadata: makes way for the merge comment (2)", func(name string, _ assignment) bool {
			return strings.Contains(name, "other-comment-moves-above") || strings.Contains(name, "line-comment-of-metadata")
		}},
	}
}

func hasText(text string) func(string, assignment) bool {
	return func(_ string, a assignment) bool {
		return strings.Contains(stream(slices.Concat(a.docs[0], a.docs[1], a.docs[2])), text)
	}
}

// exempt names the exception that an assignment is of, "" if it is of none.
func exempt(name string, a assignment) string {
	for _, e := range lawExceptions() {
		if e.covers(name, a) {
			return e.name
		}
	}
	return ""
}

// newNull reports whether a side has a null at a path where another has none.
func newNull(a assignment) bool {
	var nulls [3]map[string]bool
	for side, docs := range a.docs {
		nulls[side] = map[string]bool{}
		for _, doc := range docs {
			var v any
			if err := yaml.Unmarshal([]byte(doc), &v); err == nil {
				findNulls(v, "", nulls[side])
			}
		}
	}
	return !maps.Equal(nulls[0], nulls[1]) || !maps.Equal(nulls[0], nulls[2])
}

func findNulls(v any, path string, found map[string]bool) {
	switch v := v.(type) {
	case nil:
		found[path] = true
	case map[string]any:
		for name, field := range v {
			findNulls(field, path+"."+name, found)
		}
	case []any:
		for _, element := range v {
			findNulls(element, path+"[]", found)
		}
	}
}

// unequal says how two streams of documents do not have the same resources by
// value, bookkeeping and order aside.
func unequal(t *testing.T, got, want []string) string {
	t.Helper()
	a, b := resources(t, got), resources(t, want)
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return fmt.Sprintf("the resources are\n%s\nwant\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
}

// resources are documents as values, sorted.
func resources(t *testing.T, docs []string) []string {
	t.Helper()
	var out []string
	for _, doc := range docs {
		n := content(t, doc)
		asStrings(n)
		asAmounts(n, kindOf(schema.New(nil, nil, false), []*yaml.Node{n}).Type)
		var v map[string]any
		if err := n.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(v))
	}
	slices.Sort(out)
	return out
}

// asStrings makes timestamps strings, which they are to the merge (rules/fields:
// equality).
func asStrings(n *yaml.Node) {
	if n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		asStrings(c)
	}
}

// asAmounts writes equal quantities alike.
func asAmounts(n *yaml.Node, typ *schema.Type) {
	if text, ok := mergecheck.Amount(n); ok && typ != nil && typ.Scalar == schema.Quantity {
		n.Tag, n.Value = "!!str", text
	}
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode {
			asAmounts(c, typ.Element())
		} else if i%2 == 1 {
			asAmounts(c, typ.Part(n.Content[i-1].Value))
		}
	}
}

// content is a document without bookkeeping (rules/function: bookkeeping annotations).
func content(t *testing.T, doc string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &n); err != nil {
		t.Fatalf("%v:\n%s", err, doc)
	}
	gather(&n)
	metadata := entry(n.Content[0], "metadata")
	annotations := entry(metadata, "annotations")
	if annotations == nil || annotations.Kind != yaml.MappingNode {
		return n.Content[0]
	}
	keep(annotations, func(name string) bool { return !bookkeeping(name) })
	if len(annotations.Content) == 0 {
		keep(metadata, func(name string) bool { return name != "annotations" })
	}
	return n.Content[0]
}

// gather puts what stands above a document, and above its first key, into one
// comment: which is which depends on the empty lines between.
func gather(doc *yaml.Node) {
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) == 0 {
		return
	}
	first := root.Content[0]
	var all []string
	for _, n := range []*yaml.Node{doc, root, first} {
		if n.HeadComment != "" {
			all = append(all, n.HeadComment)
		}
	}
	root.HeadComment, first.HeadComment = "", strings.Join(all, "\n")
	raiseComment(root)
}

// raiseComment puts what stands beside metadata above it, where it makes way for the
// merge comment (rules/identity: merge comments).
func raiseComment(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Value == "metadata" && key.LineComment != "" && !commented(root) {
			key.HeadComment = strings.TrimPrefix(key.HeadComment+"\n"+key.LineComment, "\n")
			key.LineComment = ""
		}
	}
}

func bookkeeping(name string) bool {
	switch name {
	case "config.kubernetes.io/path", "config.kubernetes.io/index", "config.kubernetes.io/merge-source", "config.k8s.io/id",
		"internal.config.k8s.io/kpt-resource-id", "kustomize.config.k8s.io/id", "internal.kpt.dev/upstream-identifier":
		return true
	}
	return strings.HasPrefix(name, "internal.config.kubernetes.io/")
}

// entry is a field of a map, nil if there is none.
func entry(m *yaml.Node, name string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

// keep drops the other fields of a map.
func keep(m *yaml.Node, wanted func(name string) bool) {
	var content []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		if wanted(m.Content[i].Value) {
			content = append(content, m.Content[i], m.Content[i+1])
		}
	}
	m.Content = content
}

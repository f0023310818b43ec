package resourcelist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// drawJSON draws a value of JSON with few levels.
func drawJSON(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 8).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawJSON(t, depth-1))
		}
		return list
	case kind <= 2 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "size") {
			m[drawWord(t)] = drawJSON(t, depth-1)
		}
		return m
	case kind == 3:
		return nil
	case kind == 4:
		return rapid.Bool().Draw(t, "bool")
	case kind == 5:
		return rapid.IntRange(-10, 1e6).Draw(t, "number")
	}
	return drawWord(t)
}

func drawWord(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "", "items", "metadata", "kind", "x: y", "# no comment", "[", "}", `"`, `\`, "a\nb", "ü", "\u2028", "😀", "null", "on", "---", "\t", "<&>"}).Draw(t, "word")
}

// drawJSONItem draws an item with a name of its own and some annotations.
func drawJSONItem(t *rapid.T, number int) map[string]any {
	metadata := map[string]any{"name": fmt.Sprint("n", number)}
	if rapid.Bool().Draw(t, "annotated") {
		annotations := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "annotations") {
			annotations[rapid.SampledFrom([]string{"a", "config.kubernetes.io/path", "ü"}).Draw(t, "annotation")] = drawWord(t)
		}
		metadata["annotations"] = annotations
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": drawJSON(t, 3)}
}

// drawJSONList draws a list, in one line or indented.
func drawJSONList(t *rapid.T) []byte {
	items := []any{}
	for i := range rapid.IntRange(0, 4).Draw(t, "items") {
		items = append(items, drawJSONItem(t, i))
	}
	list := map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "x": drawJSON(t, 2)}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", rapid.SampledFrom([]string{"", " ", "  ", "    ", "\t"}).Draw(t, "unit"))
	if err := e.Encode(list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLawJSON: a list in JSON reads the same as with the full parser. If nothing changed, it is written with the same
// bytes, and else as JSON, whatever its items.
func TestLawJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := drawJSONList(t)
		list, ok := readJSON(data)
		if !ok {
			t.Fatalf("is not read as JSON\n%s", data)
		}
		doc, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := wholeItems(yamlnode.Field(doc.Content[0], "items"))
		if err != nil || len(want) != len(list.Items) {
			t.Fatalf("%v: %d items, want %d\n%s", err, len(list.Items), len(want), data)
		}
		for i, item := range list.Items {
			checkJSONHead(t, item)
			if full, err := item.Parsed(); err != nil || !manifest.IsSame(full.Node, want[i].Node) || item.Line != want[i].Line {
				t.Fatalf("item %d in line %d differs: %v\n%s", i, item.Line, err, data)
			}
		}
		if got := checkRewrite(t, list, list.Items); !bytes.Equal(got, data) {
			t.Fatalf("unchanged\n%s\ncame out as\n%s", data, got)
		}
		var items []*Item
		for range rapid.IntRange(0, 5).Draw(t, "written") {
			items = append(items, drawWritten(t, list))
		}
		if got := checkRewrite(t, list, items); !json.Valid(got) {
			t.Fatalf("no JSON came out\n%s", got)
		}
	})
}

// drawWritten draws an item of a list, a changed item of it, or a new one.
func drawWritten(t *rapid.T, list *List) *Item {
	if len(list.Items) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte("a: 1 # c\nb:\n- 16\n- ~\n- 'x'\n"), &n); err != nil {
			t.Fatal(err)
		}
		return list.NewItem(n.Content[0])
	}
	item := rapid.SampledFrom(list.Items).Draw(t, "item")
	if rapid.Bool().Draw(t, "as it is") {
		return item.WithoutAnnotation("a")
	}
	full, err := item.Parsed()
	if err != nil {
		t.Fatal(err)
	}
	node := yamlnode.Clone(full.Node)
	node.Content = append(node.Content, jsonText("more"), jsonMap([]*yaml.Node{jsonText("k"), jsonText("v")}))
	changed, err := item.Rewritten(node)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// checkJSONHead compares an item's head with the parser's reading.
func checkJSONHead(t rapid.TB, item *Item) {
	full, err := item.Parsed()
	if err != nil {
		t.Fatal(err)
	}
	if item.skim == nil {
		return
	}
	if got, want := describe(item.Head()), describe(full.Node); got != want {
		t.Fatalf("read as\n%s, parsed as\n%s\n%s", got, want, item.text)
	}
	if !item.MayHaveNull() && hasNull(full.Node) {
		t.Fatalf("read without a null\n%s", item.text)
	}
}

// TestJSONHead has changes of plain JSON; the parser is needed for the majority.
func TestJSONHead(t *testing.T) {
	plain := `{"kind":"A","metadata":{"name":"a","annotations":{"x":"y"}},"b":[{"metadata":1}]}`
	for _, change := range [][2]string{
		{"", ""}, {`"A"`, `1`}, {`"A"`, `"\\"`}, {`"A"`, `"\u0041"`}, {`"A"`, `"A","kind":"B"`}, {`"A"`, "\"\u2028\""},
		{`"name":"a"`, `"name":"a","name":"b"`}, {`"x":"y"`, `"x":1`}, {`"x":"y"`, `"x":"y","x":"z"`}, {`{"x":"y"}`, `null`},
		{`"metadata":{"name"`, `"metadata":{},"metadata":{"name"`}, {`"metadata":{`, `"data":{`},
	} {
		text := strings.Replace(plain, change[0], change[1], 1)
		if got := manifest.SkimFlow([]byte(text+"\n")) != nil; got != (change[0] == "") {
			t.Errorf("%s: read without the parser: %t", text, got)
		}
	}
}

func jsonText(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}
}

func jsonMap(content []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle, Content: content}
}

// TestWriteInBrackets writes items without a text in brackets: from a file, or with parts that brackets cannot hold,
// which turn the list into lines.
func TestWriteInBrackets(t *testing.T) {
	const item = "{\n    \"a\": \"b\"\n  }"
	list := func(items string) string {
		return `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [` + items + "]}"
	}
	lines := func(items string) string {
		return "\"apiVersion\": \"config.kubernetes.io/v1\"\n\"kind\": \"ResourceList\"\nitems:\n" + items
	}
	tests := []struct{ name, input, added, want string }{
		{"to JSON over lines", list("\n  " + item + "\n"), "a: 0x10 # c\nb: [2020-01-01, 0644]\n", list("\n  " + item + ",\n  {\n    \"a\": 16,\n    \"b\": [\n      \"2020-01-01\",\n      420\n    ]\n  }\n")},
		{"to JSON in one line", list(`{"a":1}`), "a: {b: c}\n", list(`{"a":1},{"a":{"b":"c"}}`)},
		{"to no items", list(""), "a: b\n", list(`{"a": "b"}`)},
		{"to no items over lines", "{\n \"apiVersion\": \"config.kubernetes.io/v1\",\n \"kind\": \"ResourceList\",\n \"items\": []\n}\n", "a: b\n", "{\n \"apiVersion\": \"config.kubernetes.io/v1\",\n \"kind\": \"ResourceList\",\n \"items\": [\n  {\n   \"a\": \"b\"\n  }\n ]\n}\n"},
		{"to flow style", head + "items: [{a: b},\n  {c: d},]\n", "e: [f]\n", head + "items: [{a: b},\n  {c: d},\n  {e: [f]},]\n"},
		{"an anchor", list(item), "a: &x b\nc: *x\n", lines("- " + item + "\n- a: &x b\n  c: *x\n")},
		{"a comment in flow style", head + "items: [{a:  b}]\n", "a: b # c\n", head + "items:\n- {a:  b}\n- a: b # c\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Read([]byte(test.input))
			if err != nil {
				t.Fatal(err)
			}
			var n yaml.Node
			if err := yaml.Unmarshal([]byte(test.added), &n); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := list.Write(&b, append(list.Items, list.NewItem(n.Content[0])), nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

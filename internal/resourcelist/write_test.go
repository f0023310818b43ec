package resourcelist

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

func TestRoundTrip(t *testing.T) {
	for name, data := range testdata(t) {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(string(data), rewritten(t, string(data), nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRoundTripWhole is TestRoundTrip with the full parser.
func TestRoundTripWhole(t *testing.T) {
	for name, data := range testdata(t) {
		t.Run(name, func(t *testing.T) {
			list, err := readWhole(data)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err = list.Write(&b, list.Items, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteLists(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"bytes of items", head + "items:\n  -   a:  b \n\n      c: 'd'\n", head + "items:\n  -   a:  b \n\n      c: 'd'\n"},
		{"comments between", head + "items:\n# a\n- a:  b\n# b\n\n# c\n- a:  b\n\n# d\n", head + "items:\n# a\n- a:  b\n# b\n\n# c\n- a:  b\n\n# d\n"},
		{"comments in the shell", "# x\n\n# a\n" + head + "items: # i\n- a: b\nfunctionConfig: # f\n  a: b # c\n  # g\n# z\n", "# x\n\n# a\n" + head + "items: # i\n- a: b\nfunctionConfig: # f\n  a: b # c\n  # g\n# z\n"},
		{"no items", head, head + "items: []\n"},
		{"null items", head + "items:\nx: y\n", head + "items: []\nx: y\n"},
		{"order", "items:\n- a: b\nkind: ResourceList\nx:  {y: 0x1f}\napiVersion: config.kubernetes.io/v1\n", "items:\n- a: b\nkind: ResourceList\nx: {y: 0x1f}\napiVersion: config.kubernetes.io/v1\n"},
		{"CRLF", "kind: ResourceList\r\napiVersion: config.kubernetes.io/v1\r\nitems:\r\n- a: |\r\n    b\r\n- a:   b\r\n", "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n- a: |\n    b\n- a:   b\n"},
		{"JSON", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"a":"b","c":[1,null]},{"a":{}}],"functionConfig":{"d":"e"}}`, `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"a":"b","c":[1,null]},{"a":{}}],"functionConfig":{"d":"e"}}`},
		{"flow items", head + "items: [{a: b}, {c: d}] # x\n", head + "items: [{a: b}, {c: d}] # x\n"},
		{"flow items with comments between them", head + "items: [{a: b}, # y\n  {c: d}] # x\n", head + "items: # x\n- {a: b} # y\n- {c: d}\n"},
		{"no last line break", head + "items:\n- a:  b", head + "items:\n- a:  b\n"},
		{"no last line break in a literal", head + "items:\n- a:  |\n    b", head + "items:\n- a: |-\n    b\n"},
		{"keep", head + "items:\n- a: |+\n    b\n\n- c: |+\n    d\n\nx: y\n", head + "items:\n- a: |+\n    b\n\n- c: |+\n    d\n\nx: y\n"},
		{"markers", "---\n" + head + "items:\n- a:  b\n", head + "items:\n- a:  b\n"},
		{"alias across items", head + "items:\n- a: &x {b: c}\n- d:  *x\n", head + "items:\n- a: &x {b: c}\n- d: {b: c}\n"},
		{"item that is an alias", head + "items:\n- &x {b:  c}\n- *x\n", head + "items:\n- &x {b:  c}\n- {b: c}\n"},
		{"alias in an item", head + "items:\n- a:  &x {b: c}\n  d:  *x\n", head + "items:\n- a:  &x {b: c}\n  d:  *x\n"},
		{"alias into the shell", head + "x: &x {b: c}\nitems:\n- d: *x\ny: *x\n", head + "x: &x {b: c}\nitems:\n- d: {b: c}\ny: *x\n"},
		{"alias from the shell", head + "items:\n- d: &x {b: c}\ny: *x\n", head + "items:\n- d: &x {b: c}\ny: {b: c}\n"},
		{"alias of items", head + "items: &x\n- a: b\ny: *x\n", head + "items:\n- a: b\ny:\n- a: b\n"},
		{"items are an alias", head + "x: &x\n- a: b\nitems: *x\n", head + "x: &x\n- a: b\nitems:\n- a: b\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, rewritten(t, test.input, nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteResults(t *testing.T) {
	results := []any{framework.Result{
		Message: "both changed", Severity: framework.Warning,
		ResourceRef: &kyaml.ResourceIdentifier{
			TypeMeta: kyaml.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
			NameMeta: kyaml.NameMeta{Name: "on"},
		},
		Field: &framework.Field{Path: "spec.replicas", CurrentValue: 3, ProposedValue: "3"},
		File:  &framework.File{Path: "a.yaml"},
		Tags:  map[string]string{"chosen": "upstream"},
	}}
	text := `- message: both changed
  severity: warning
  resourceRef:
    apiVersion: apps/v1
    kind: Deployment
    name: "on"
  field:
    path: spec.replicas
    currentValue: 3
    proposedValue: "3"
  file:
    path: a.yaml
  tags:
    chosen: upstream
`
	tests := []struct{ name, input, want string }{
		{"at the end", head + "items: []\n", head + "items: []\nresults:\n" + text},
		{"below items", head + "items:\n- a:  b\n", head + "items:\n- a:  b\nresults:\n" + text},
		{"after those", head + "results: # c\n- message: m\nitems: []\n", head + "results: # c\n- message: m\n" + text + "items: []\n"},
		{"after null", head + "results:\nitems: []\n", head + "results:\n" + text + "items: []\n"},
		{"after none", head + "results: []\nitems: []\n", head + "results:\n" + text + "items: []\n"},
		{"below the function config", head + "items: []\nfunctionConfig: {a: b}\n", head + "items: []\nfunctionConfig: {a: b}\nresults:\n" + text},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, rewritten(t, test.input, results)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteBadResult(t *testing.T) {
	result := &framework.Result{Field: &framework.Field{CurrentValue: make(chan int)}}
	err := Empty().Write(&bytes.Buffer{}, nil, []any{result})
	if err == nil || !strings.Contains(err.Error(), "a result cannot be written: yaml: cannot marshal type: chan int") {
		t.Errorf("got %v", err)
	}
}

func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := Empty().Write(&b, nil, []any{framework.Result{Message: "m", Severity: framework.Error}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(head+"items: []\nresults:\n- message: m\n  severity: error\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteTwice(t *testing.T) {
	input := head + "items:\n- a: b\nresults:\n- message: m\n"
	list, err := Read([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var b bytes.Buffer
		if err = list.Write(&b, list.Items, []any{framework.Result{Message: "more"}}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(input+"- message: more\n", b.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWriteOtherItems(t *testing.T) {
	list, err := Read([]byte(head + "items:\n  - a:  b\n    c:\n      - d\n  - e:\n      - f\n"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Read([]byte(head + "items:\n- g:  h # i\n"))
	if err != nil {
		t.Fatal(err)
	}
	parseAll(t, list)
	changed := yamlnode.Clone(list.Items[0].Node)
	changed.Content[1].Value = "x"
	fresh := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlnode.String("y"), {Kind: yaml.SequenceNode, Content: []*yaml.Node{yamlnode.String("z")}}}}
	items := []*Item{list.Items[1], other.Items[0], list.Items[0].WithNode(changed), NewItem(fresh)}
	got := string(checkRewrite(t, list, items))
	want := head + "items:\n  - e:\n      - f\n  - g: h # i\n  - a: x\n    c:\n      - d\n  - y:\n    - z\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNewItemOfDocument(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("# Copyright\n\n# about\na: b\n\n# end\n"), &doc); err != nil {
		t.Fatal(err)
	}
	got := string(checkRewrite(t, Empty(), []*Item{NewItem(&doc), NewItem(&doc)}))
	item := "- # Copyright\n\n  # about\n  a: b\n  # end\n"
	if diff := cmp.Diff(head+"items:\n"+item+item, got); diff != "" {
		t.Error(diff)
	}
}

// rewritten reads and writes a list.
func rewritten(t *testing.T, input string, results []any) string {
	list, err := Read([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = list.Write(&b, list.Items, results); err != nil {
		t.Fatal(err)
	}
	if _, err = Read(b.Bytes()); err != nil {
		t.Errorf("%v\n%s", err, b.String())
	}
	return b.String()
}

// TestEnded: the text of a last item gets a line break, unless that would become part of a block scalar.
func TestEnded(t *testing.T) {
	for text, want := range map[string]bool{"- a: b\n": true, "- a: b": true, "- a: |-\n    b": true, "- a: |\n    b": false, "- [": false} {
		if got, err := ended([]byte(text)); (err == nil) != want || err == nil && string(got[len(got)-1:]) != "\n" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestEditedSharesText: the lines of an edited item that stay are written from the input, and the item has them all.
func TestEditedSharesText(t *testing.T) {
	in := []byte("kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n- kind: Widget\n  metadata:\n    name: web\n  data:\n    a: 1\n")
	list, err := Read(in)
	if err != nil {
		t.Fatal(err)
	}
	full, err := list.Items[0].Parsed()
	if err != nil {
		t.Fatal(err)
	}
	edited, err := full.Rewritten(yamlnode.Annotate(full.Node, "note", "new"))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := list.Texts([]*Item{edited}, nil)
	if err != nil {
		t.Fatal(err)
	}
	isInput := func(text []byte) bool { return len(text) > 0 && &text[len(text)-1] == &in[len(in)-1] }
	if !slices.ContainsFunc(texts, isInput) || !bytes.Contains(bytes.Join(texts, nil), edited.Text()) {
		t.Errorf("%q is written as %q", edited.Text(), texts)
	}
}

// Write writes the pieces of the list.
func (l *List) Write(w io.Writer, items []*Item, results []any) error {
	texts, err := l.Texts(items, results)
	if err == nil {
		_, err = w.Write(bytes.Join(texts, nil))
	}
	return err
}
